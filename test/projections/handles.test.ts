// Each event type is handled or deliberately ignored by each projection: `handles` says which, and says it truly.
import { expect } from 'chai';
import fc from 'fast-check';
import * as E from 'fp-ts/lib/Either.js';
import { readdirSync, readFileSync } from 'node:fs';
import { decodeEvent, eventCodecs } from '../../domain/events.js';
import { projections } from '../../projections/index.js';
import type { ProjectedEvent } from '../../projections/projection.js';
import { stories } from '../support/arbitraries.js';
import { jobUuid, streamOf } from '../support/given-rows.js';

const folder = new URL('../fixtures/events/', import.meta.url);

const recorded = (): readonly ProjectedEvent[] =>
  readdirSync(folder).flatMap((version) =>
    readdirSync(new URL(`${version}/`, folder)).map((file) => {
      const { type, data, metadata } = JSON.parse(
        readFileSync(new URL(`${version}/${file}`, folder), 'utf8'),
      );
      const event = decodeEvent({ type, data, metadata });
      if (E.isLeft(event)) throw new Error(event.left);
      return { stream: `job-${jobUuid(1)}`, revision: 9n, id: file, metadata, event: event.right };
    }),
  );

const generated = (): readonly ProjectedEvent[] =>
  fc
    .sample(stories(2), { numRuns: 150, seed: 7 })
    .flatMap((jobs) => jobs.flatMap((events, job) => streamOf(events, job)));

describe('the handled event types of every projection', () => {
  const events = [...recorded(), ...generated()];

  it('are judged on events of every type there is', () => {
    expect([...new Set(events.map(({ event }) => event.type))]).to.have.members(Object.keys(eventCodecs));
  });

  for (const { name, handles, project } of projections) {
    it(`are exactly those that can change a row of ${name}`, () => {
      const changing = events.filter((event) => project(event).length > 0).map(({ event }) => event.type);
      expect([...new Set(changing)]).to.have.members([...handles]);
      expect(new Set(handles).size).to.equal(handles.length);
    });
  }
});
