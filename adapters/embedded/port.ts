// Chooses the port: the one of last time if it is free, so that a noted URL stays good, else any free one.
import { readFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Place } from './place.js';
import { settingsFile } from './settings.js';
import { unlessMissing } from './system-error.js';

const tryPort = (port: number): Promise<number | undefined> =>
  new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(undefined));
    probe.listen(port, '127.0.0.1', () => {
      const address: string | AddressInfo | null = probe.address();
      probe.close(() => resolve(typeof address === 'object' ? address?.port : undefined));
    });
  });

const lastPort = async (place: Place): Promise<number> => {
  const text = await unlessMissing(readFile(join(place.data, settingsFile), 'utf8'));
  return Number(/^port = '(\d+)'$/m.exec(text ?? '')?.[1] ?? 0);
};

export const choosePort = async (place: Place): Promise<number> =>
  (await tryPort(await lastPort(place))) ?? (await tryPort(0)) ?? 0;
