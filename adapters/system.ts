/** What the pure parts are handed: ids, hashes, randomness, and who and where this process is. */
import { hash, randomFillSync } from 'node:crypto';
import { hostname, networkInterfaces } from 'node:os';

const POOL_BYTES = 4_096;
const ID_DIGITS = 16;
let pool = '';
let used = 0;

/** Where the next random hex digits of an id stand in the pool. Drawn from the system in portions: a call for each is what ids would cost. */
const nextDigits = (): number => {
  if (used + ID_DIGITS > pool.length) {
    pool = randomFillSync(Buffer.allocUnsafe(POOL_BYTES)).toString('hex');
    used = 0;
  }
  used += ID_DIGITS;
  return used - ID_DIGITS;
};

const variantOf = (hexDigit: string): string => '89ab'.charAt(Number.parseInt(hexDigit, 16) & 0x3);

const LARGEST_COUNT = 0xfff;
let moment = 0;
let count = 0;
/** Of an id of this moment: its time and its version. */
let head = '';

const setMoment = (milliseconds: number): void => {
  [moment, count] = [milliseconds, 0];
  const time = moment.toString(16).padStart(12, '0');
  head = `${time.slice(0, 8)}-${time.slice(8)}-7`;
};

/**
 * A UUID that sorts by the time it was made, and within this process by the order of making: RFC 9562's version 7 with its twelve bits
 * as a counter, which borrows from the future when a millisecond has not enough. A package's costs 2 kB of garbage a job.
 */
export const newId = (): string => {
  const now = Date.now();
  if (now > moment) setMoment(now);
  else if (count < LARGEST_COUNT) count += 1;
  else setMoment(moment + 1);
  const at = nextDigits();
  const counter = count.toString(16).padStart(3, '0');
  return `${head}${counter}-${variantOf(pool.charAt(at))}${pool.slice(at + 1, at + 4)}-${pool.slice(at + 4, at + 16)}`;
};

const UUID_BYTES = 16;

/** RFC 9562's version 5, of the SHA-1 of a namespace's bytes and a name. The package's own costs five times as much an event. */
const nameBased = (namespace: string, name: string): string => {
  const bytes = Buffer.allocUnsafe(UUID_BYTES + Buffer.byteLength(name));
  bytes.write(namespace.replaceAll('-', ''), 'hex');
  bytes.write(name, UUID_BYTES, 'utf8');
  const hex = hash('sha1', bytes, 'hex');
  const variant = variantOf(hex.charAt(16));
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
};

/** The n-th id that follows from another: the same each time, so that a retried append is recognised. */
export const derivedId = (id: string, name: string | number): string => nameBased(id, String(name));

/** UUID of a text that is not under a UUID of its own, such as the key of an imported row. */
const TEXT_NAMESPACE = '6f0a3c0e-8a53-5d0e-9d3e-5f1f0c1f9a11';
export const idOfText = (text: string): string => nameBased(TEXT_NAMESPACE, text);

export const sha1Hex = (text: string): string => hash('sha1', text, 'hex');
export const sha256Hex = (text: string): string => hash('sha256', text, 'hex');

/** A claim's token: the id of the claim event as 32 hex digits. */
export const tokenOf = (id: string): string => id.replaceAll('-', '');

const LOOPBACK = '127.0.0.1';

/** The first IPv4 address that is not the loopback. */
const ownAddress = (): string => {
  const addresses = Object.values(networkInterfaces()).flat();
  return addresses.find((at) => at?.family === 'IPv4' && !at.internal)?.address ?? LOOPBACK;
};

export interface Whereabouts {
  readonly host: string;
  readonly ip: string;
  readonly pid: number;
}

export const whereabouts = (): Whereabouts => ({ host: hostname(), ip: ownAddress(), pid: process.pid });
