/** Progress stands in the presence rows of the runners: written whole, read by whoever watches. */
import * as E from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { ToldProgress, type ProgressBoard, type PresentRunner } from '../../projections/progress.js';
import { attempt } from './error-mapping.js';
import { isoSql } from './iso.js';
import { inSchema, type SchemaName } from './schema-name.js';
import { prepared, rowsOf, type Queryable } from './statement.js';

const TELL = `UPDATE __schema__.runner_presence SET progress = $2::json WHERE runner = $1`;

const RUNNERS = `
SELECT p.runner, p.host, ${isoSql('p.started_at')}, ${isoSql('p.renewed_until')}, p.lost::text, p.progress::text
FROM __schema__.runner_presence p
ORDER BY p.started_at, p.runner`;

const Told = t.readonlyArray(ToldProgress);

/** What cannot be understood was written by another version: it is left out. */
const toldIn = (text: string | null | undefined): readonly ToldProgress[] => {
  const parsed = E.tryCatch(
    (): unknown => JSON.parse(text ?? '[]'),
    () => undefined,
  );
  const told = E.isLeft(parsed) ? parsed : Told.decode(parsed.right);
  return E.isLeft(told) ? [] : told.right;
};

export const postgresProgressBoard = (db: Queryable, schema: SchemaName): ProgressBoard => {
  const tell = prepared('tell-progress', inSchema(TELL, schema));
  return {
    tell: (runnerId, progress) =>
      attempt(async () => {
        await rowsOf(db, tell, [runnerId, progress.length === 0 ? null : JSON.stringify(progress)]);
      }),
    runners: () =>
      attempt(async () => {
        const rows = await rowsOf(db, { text: inSchema(RUNNERS, schema) }, []);
        return rows.map(([id, host, startedAt, renewedUntil, lost, progress]): PresentRunner => ({
          id: id ?? '',
          host: host ?? '',
          startedAt: startedAt ?? '',
          renewedUntil: renewedUntil ?? '',
          isLost: lost === 'true',
          progress: toldIn(progress),
        }));
      }),
  };
};
