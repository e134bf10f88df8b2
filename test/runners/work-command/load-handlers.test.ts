import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { loadHandlers } from '../../../runners/load-handlers.js';

describe('the module of --handlers', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'jobledger-handlers-'));
  });
  after(() => rmSync(folder, { recursive: true }));

  const load = async (name: string, text?: string): Promise<readonly string[] | string> => {
    if (text !== undefined) writeFileSync(join(folder, name), text);
    const loaded = await loadHandlers(name, folder);
    return E.isLeft(loaded) ? loaded.left : loaded.right.map(({ type }) => type);
  };

  const ONE = `{ type: 'sendMail', run: () => undefined }`;
  const taken: readonly (readonly [string, string])[] = [
    ['module.mjs', `export default [${ONE}];`],
    ['common.cjs', `module.exports = [${ONE}];`],
    ['transpiled.cjs', `exports.__esModule = true; exports.default = [${ONE}];`],
    [
      'typed.ts',
      `interface Job { readonly id: string }\nconst run = (job: Job): string => job.id;\nexport default [{ type: 'sendMail', run }];`,
    ],
    ['typed.mts', `const type: string = 'sendMail';\nexport default [{ type, run: (): void => undefined }];`],
  ];
  for (const [name, text] of taken) {
    it(`may be ${name}`, async () => {
      expect(await load(name, text)).to.deep.equal(['sendMail']);
    });
  }

  const refused: readonly (readonly [string, string | undefined, string | RegExp])[] = [
    ['missing.mjs', undefined, '--handlers missing.mjs: there is no such file'],
    ['.', undefined, '--handlers .: this is a folder, not a file'],
    ['broken.mjs', 'export default [', /^--handlers broken\.mjs cannot be loaded: SyntaxError: [^\n]+$/],
    ['broken.ts', 'export default [', /^--handlers broken\.ts cannot be loaded: [^\n]+$/],
    [
      'throwing.mjs',
      `throw new Error('no database');`,
      '--handlers throwing.mjs cannot be loaded: Error: no database',
    ],
    [
      'empty.mjs',
      'export const handlers = [];',
      '--handlers empty.mjs has no default export; it is to be an array of handlers',
    ],
    [
      'one.mjs',
      `export default ${ONE};`,
      '--handlers one.mjs: its default export is not an array of handlers',
    ],
    [
      'strange.mjs',
      `export default [${ONE}, { type: 'x' }];`,
      '--handlers strange.mjs: handler 1 has no type and run(job, context)',
    ],
    [
      'twice.mjs',
      `export default [${ONE}, ${ONE}];`,
      '--handlers twice.mjs: the type "sendMail" has two handlers',
    ],
    [
      'separator.mjs',
      `export default [{ type: 'a@-@b', run: () => undefined }];`,
      /^--handlers separator\.mjs: the handler of "a@-@b": type holds "@-@"/,
    ],
  ];
  for (const [name, text, why] of refused) {
    it(`is refused as ${name}, in a sentence`, async () => {
      const said = await load(name, text);
      if (typeof why === 'string') expect(said).to.equal(why);
      else expect(said).to.match(why);
    });
  }
});
