import { expect } from 'chai';
import type { JsonObject } from '../../../domain/json.js';
import { workItems } from '../../../domain/queue/work-items.js';

describe('the work items of a job', () => {
  const cases: readonly (readonly [JsonObject, number])[] = [
    [{}, 1],
    [{ pages: { '7': [0, 'A'], '9': [0, 'B'] } }, 2],
    [{ pages: [1, 2, 3] }, 3],
    [{ pages: {} }, 0],
    [{ pages: null }, 1],
    [{ recursive: true, pages: { '7': [0, 'A'] } }, 0],
    [{ recursive: 1 }, 0],
    [{ recursive: '0' }, 1],
    [{ recursive: false }, 1],
  ];
  for (const [params, count] of cases) {
    it(`are ${count} for ${JSON.stringify(params)}`, () => {
      expect(workItems(params)).to.equal(count);
    });
  }
});
