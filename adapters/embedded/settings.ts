// What the embedded server is configured with; written anew at every start, so that it follows the program.
import { totalmem } from 'node:os';

const mebibyte = 1024 * 1024;

// A quarter of a small machine's memory, 256 MB of any other's.
const sharedBuffers = (): number => Math.max(16, Math.min(256, Math.floor(totalmem() / mebibyte / 4)));

export const settingsFile = 'jobledger.conf';

export const settings = (port: number): string =>
  Object.entries({
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    max_connections: '200',
    shared_buffers: `${sharedBuffers()}MB`,
    max_wal_size: '2GB',
    fsync: 'on',
    synchronous_commit: 'on',
    // Queue tables shed rows as fast as they gain them; slow vacuuming lets dead ones pile up at their head.
    autovacuum_naptime: '10s',
    autovacuum_vacuum_scale_factor: '0.02',
    autovacuum_vacuum_insert_scale_factor: '0.05',
    autovacuum_vacuum_cost_delay: '0',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_line_prefix: '%m [%p] ',
    lc_messages: 'C',
  })
    .map(([name, value]) => `${name} = '${value}'\n`)
    .join('');
