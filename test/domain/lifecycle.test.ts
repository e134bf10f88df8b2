import { expect } from 'chai';
import fc from 'fast-check';
import * as E from 'fp-ts/lib/Either.js';
import { readFileSync } from 'node:fs';
import { story } from '../support/arbitraries.js';
import { lifecycleArrows, lifecycleDiagram } from '../support/lifecycle.js';

const page = new URL('../../README.md', import.meta.url);

const between = (text: string, start: string, end: string): string =>
  text.slice(text.indexOf(start) + start.length, text.indexOf(end)).trim();

describe('the diagram of the life cycle', () => {
  it('shows exactly what decide does', () => {
    const text = readFileSync(page, 'utf8').replaceAll('\r\n', '\n');
    expect(between(text, '<!-- lifecycle -->', '<!-- /lifecycle -->')).to.equal(lifecycleDiagram());
  });

  it('has an arrow for everything that random commands bring about', () => {
    const known = new Set(lifecycleArrows().map(({ from, to, events }) => `${from} ${to} ${events}`));
    const taken = fc
      .sample(story(), { numRuns: 500, seed: 4 })
      .flatMap((steps) =>
        steps.flatMap(({ before, decision, after }) =>
          E.isRight(decision)
            ? [`${before._tag} ${after._tag} ${decision.right.map(({ type }) => type).join(' + ')}`]
            : [],
        ),
      );
    expect([...new Set(taken)].filter((arrow) => !known.has(arrow))).to.deep.equal([]);
  });
});
