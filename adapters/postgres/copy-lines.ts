/** Rows in PostgreSQL's COPY text format: columns divided by tabs, rows by line feeds, `\N` for null. */
import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { Row, Value } from '../../projections/row-change.js';

const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
};

const cell = (value: Value | undefined): string => {
  if (value === null || value === undefined) return '\\N';
  if (typeof value !== 'string') return String(value);
  return /[\\\t\n\r]/.test(value) ? value.replace(/[\\\t\n\r]/g, (found) => ESCAPES[found] ?? found) : value;
};

export const copyLine = (row: Row, columns: readonly string[]): string => {
  let line = '';
  for (const column of columns) line += line === '' ? cell(row[column]) : `\t${cell(row[column])}`;
  return `${line}\n`;
};

const CHUNK = 256 * 1024;

export const copyRows = async (
  client: pg.ClientBase,
  sql: string,
  columns: readonly string[],
  rows: Iterable<Row>,
): Promise<void> => {
  const stream = client.query(copyFrom(sql));
  const end = finished(stream);
  // Whoever waits for `drain` below must not miss the failure; `end` tells it in the end.
  end.catch(() => undefined);
  let chunk = '';
  for (const row of rows) {
    chunk += copyLine(row, columns);
    if (chunk.length < CHUNK) continue;
    const hasRoom = stream.write(chunk);
    chunk = '';
    if (!hasRoom) await Promise.race([once(stream, 'drain'), end]);
  }
  stream.end(chunk);
  await end;
};
