// Work that is covered elsewhere is not done again: equal jobs of which one runs, and families with a newer root.
import { expect } from 'chai';
import type { JobDefinition } from '../../../runners/define-job.js';
import { mediaWikiTimestamp, newRootJobParams } from '../../../domain/job/root.js';
import { sha1Hex } from '../../../adapters/system.js';
import { onEachStore, onlyInPostgres } from '../../support/each-store.js';
import {
  enqueued,
  factsOf,
  historyOf,
  isIn,
  stateOf,
  typesOf,
  unequalTables,
  type TestLedger,
} from '../../support/ledger.js';
import { claimed } from '../../support/claims.js';
import { drained, working } from '../../support/runners.js';
import { gate, until } from '../../support/waiting.js';

onEachStore('work that is covered elsewhere', (openLedger) => {
  let ledger: TestLedger;

  beforeEach(async () => {
    ledger = await openLedger();
  });
  afterEach(async () => {
    expect(await unequalTables(ledger)).to.deep.equal([]);
    await ledger.drop();
  });

  /** A claim in between makes an enqueue no survivor: so equal jobs can come to wait side by side. */
  const twins = async (count: number, job: object): Promise<readonly string[]> => {
    const ids: string[] = [];
    for (let n = 0; n < count; n += 1) ids.push(...(await enqueued(ledger, job)));
    return ids;
  };

  it('of equal jobs of a handler that ignores duplicates one runs, and the others are superseded by it', async () => {
    const ids = await twins(5, { type: 'same', params: { a: 1 } });
    const ran: string[] = [];
    const same: JobDefinition = { type: 'same', ignoreDuplicates: true, run: ({ id }) => void ran.push(id) };
    const summary = await drained(ledger, [same], { concurrency: 10 });
    expect(summary).to.include({ succeeded: 1, superseded: 4 });
    const [runner = ''] = ran;
    for (const id of ids.filter((each) => each !== runner)) {
      expect(await stateOf(ledger, id)).to.include({ _tag: 'Superseded', by: runner });
      const [{ rule } = {}] = await factsOf(ledger, id, 'JobSuperseded');
      expect(rule).to.equal('executed-later');
    }
  });

  it('an equal job that comes while the first runs, and began before it, runs too', async () => {
    const [first = ''] = await enqueued(ledger, { type: 'same', ignoreDuplicates: true });
    const door = gate();
    const ran: string[] = [];
    const run = async ({ id }: { id: string }): Promise<void> => {
      ran.push(id);
      if (id === first) await door.opened;
    };
    const { done, stop } = working(ledger, [{ type: 'same', run }]);
    await until('the first runs', () => ran.length === 1);
    const [second = ''] = await enqueued(ledger, { type: 'same', ignoreDuplicates: true });
    door.open();
    await until('the second has run', () => isIn(ledger, 'Succeeded', first, second));
    stop();
    await done;
    expect(ran).to.deep.equal([first, second]);
  });

  it('a twin that waits for the first holds up nobody behind it in the queue', async () => {
    const ids = await twins(12, { type: 'same', params: { a: 1 } });
    const door = gate();
    const others: number[] = [];
    const run = async ({ params }: { params: Record<string, unknown> }): Promise<void> => {
      if ('n' in params) others.push(Number(params['n']));
      else await door.opened;
    };
    const same: JobDefinition = { type: 'same', ignoreDuplicates: true, run };
    const { done, stop } = working(ledger, [same], { concurrency: 3 });
    await until('the first runs', async () => {
      const states = await Promise.all(ids.map((id) => isIn(ledger, 'Running', id)));
      return states.includes(true);
    });
    const behind = Array.from({ length: 6 }, (_, n) => ({ type: 'same', params: { n } }));
    const free = await enqueued(ledger, ...behind);
    await until('those behind the twins have run', () => isIn(ledger, 'Succeeded', ...free));
    door.open();
    await until('the twins are covered', async () => {
      const states = await Promise.all(ids.map((id) => stateOf(ledger, id)));
      return states.every(({ _tag }) => _tag === 'Succeeded' || _tag === 'Superseded');
    });
    stop();
    expect(await done).to.include({ superseded: 11, succeeded: 7 });
  });

  it('twins run each for itself where the first one fails for good', async () => {
    const ids = await twins(3, { type: 'same' });
    const ran: string[] = [];
    const run = ({ id }: { id: string }): boolean => {
      ran.push(id);
      return ran.length > 2;
    };
    const summary = await drained(ledger, [{ type: 'same', ignoreDuplicates: true, retry: false, run }]);
    expect(summary).to.include({ failed: 2, succeeded: 1, superseded: 0 });
    expect(ran).to.have.members(ids);
  });

  const family = (at: string, isSelf: boolean) => {
    const { rootJobIsSelf, ...leaf } = newRootJobParams('family', sha1Hex, at);
    return isSelf ? { rootJobIsSelf, ...leaf } : leaf;
  };
  const OLD = '2026-03-01T04:00:00.000Z';
  const NEW = '2026-03-01T05:00:00.000Z';

  it('a newer root supersedes the leaves and the root that are older, not its own leaves', async () => {
    const job = (at: string, isSelf: boolean, n: number) => ({
      type: 'links',
      params: { n, ...family(at, isSelf) },
    });
    const [root = '', leaf1 = '', leaf2 = ''] = await enqueued(
      ledger,
      job(OLD, true, 0),
      job(OLD, false, 1),
      job(OLD, false, 2),
    );
    const [newer = '', ownLeaf = ''] = await enqueued(ledger, job(NEW, true, 3), job(NEW, false, 4));
    const ran: string[] = [];
    const summary = await drained(ledger, [{ type: 'links', run: ({ id }) => void ran.push(id) }]);
    expect(summary).to.include({ succeeded: 2, superseded: 3 });
    expect(ran).to.have.members([newer, ownLeaf]);
    for (const id of [root, leaf1, leaf2]) {
      expect(await typesOf(ledger, id)).to.deep.equal(['JobEnqueued', 'JobSuperseded']);
      const [superseded] = await factsOf(ledger, id, 'JobSuperseded');
      expect(superseded).to.include({ rule: 'newer-root', by: newer });
    }
  });

  it('a newer root that was abandoned counts no more', async () => {
    const root = { type: 'links', params: family(NEW, true) };
    await enqueued(ledger, root);
    await drained(ledger, [{ type: 'links', retry: false, run: () => false }]);
    const [leaf = ''] = await enqueued(ledger, { type: 'links', params: { n: 1, ...family(OLD, false) } });
    await drained(ledger, [{ type: 'links', run: () => 1 }]);
    expect(await isIn(ledger, 'Succeeded', leaf)).to.equal(true);
  });

  it('an equal job that began before an enqueue does not cover the survivor that answered it', async () => {
    const job = { type: 'same', ignoreDuplicates: true };
    const [first = ''] = await enqueued(ledger, job);
    const claim = await claimed(ledger, first);
    const [survivor = ''] = await enqueued(ledger, job);
    await claim.start();
    // The first has begun behind the survivor's own enqueue, but before this one, which it knows nothing of.
    const [answer] = await ledger.producer.enqueueAll([job]);
    expect(answer).to.deep.include({ right: { jobId: survivor, outcome: 'suppressed', survivor } });
    await claim.succeed();
    const ran: string[] = [];
    await drained(ledger, [{ type: 'same', run: ({ id }) => void ran.push(id) }]);
    expect(ran).to.deep.equal([survivor]);
  });

  it('leaves that were enqueued behind a newer root wait for it where the same runner has it, and are superseded', async () => {
    const job = (at: string, isSelf: boolean, n: number) => ({
      type: 'links',
      params: { n, ...family(at, isSelf) },
    });
    const [newer = '', ...leaves] = await enqueued(
      ledger,
      job(NEW, true, 0),
      ...Array.from({ length: 30 }, (_, n) => job(OLD, false, n + 1)),
    );
    const ran: string[] = [];
    const run = ({ id }: { readonly id: string }): void => void ran.push(id);
    const summary = await drained(ledger, [{ type: 'links', run }], { concurrency: 10 });
    expect(ran).to.deep.equal([newer]);
    expect(summary).to.include({ succeeded: 1, superseded: leaves.length });
  });

  it('a newer root of the same batch of enqueues covers a leaf at once, whichever of them was written first', async function () {
    onlyInPostgres(this, ledger, 'appends of one call have no order there');
    const job = (jobId: string, at: string, isSelf: boolean) => ({
      type: 'links',
      jobId,
      params: family(at, isSelf),
    });
    const root = '00000000-0000-7000-8000-000000000001';
    const leaf = 'ffffffff-ffff-7fff-8fff-ffffffffffff';
    await enqueued(ledger, job(leaf, OLD, false), job(root, NEW, true));
    const positionOf = async (id: string, index: number) =>
      (await historyOf(ledger, id)).at(index)?.position ?? 0n;
    expect((await positionOf(root, 0)) < (await positionOf(leaf, 0))).to.equal(true);
    await drained(ledger, [{ type: 'links', run: () => undefined }]);
    expect(await typesOf(ledger, leaf)).to.deep.equal(['JobEnqueued', 'JobSuperseded']);
    expect((await positionOf(leaf, -1)) < (await positionOf(root, -1))).to.equal(true);
  });

  it('a leaf that waits for a newer root runs where that one fails for good', async () => {
    const job = (at: string, isSelf: boolean) => ({ type: 'links', params: family(at, isSelf) });
    const [newer = ''] = await enqueued(ledger, job(NEW, true), { type: 'other' });
    await drained(ledger, [{ type: 'other', run: () => undefined }]);
    const [leaf = ''] = await enqueued(ledger, job(OLD, false));
    const ran: string[] = [];
    const run = ({ id }: { readonly id: string }): boolean => {
      ran.push(id);
      return id !== newer;
    };
    await drained(ledger, [{ type: 'links', retry: false, run }], { concurrency: 10 });
    expect(ran).to.deep.equal([newer, leaf]);
  });

  it('a newer root that began before a leaf was enqueued does not cover it', async () => {
    const job = (at: string, isSelf: boolean) => ({ type: 'links', params: family(at, isSelf) });
    const [newer = ''] = await enqueued(ledger, job(NEW, true));
    const claim = await claimed(ledger, newer);
    await claim.start();
    const [leaf = ''] = await enqueued(ledger, job(OLD, false));
    await claim.succeed();
    const ran: string[] = [];
    await drained(ledger, [{ type: 'links', run: ({ id }) => void ran.push(id) }]);
    expect(ran).to.deep.equal([leaf]);
  });

  it('two edits of a template before any job runs: the surviving root runs, and so do the leaves it spawns', async () => {
    const edit = (at: string) => ({
      type: 'refreshLinks',
      namespace: 10,
      title: 'LostProof',
      ignoreDuplicates: true,
      params: { table: 'templatelinks', recursive: true, ...family(at, true) },
    });
    const [root = ''] = await enqueued(ledger, edit(OLD));
    const [second] = await ledger.producer.enqueueAll([edit(NEW)]);
    expect(second).to.deep.include({ right: { jobId: root, outcome: 'suppressed', survivor: root } });
    const pages: unknown[] = [];
    const stamps: unknown[] = [];
    const refreshLinks: JobDefinition = {
      type: 'refreshLinks',
      run: ({ params, root: own, namespace, title }, { spawn }) => {
        stamps.push(params['rootJobTimestamp'], own?.timestamp);
        if (params['rootJobIsSelf'] !== true) return void pages.push(params['page']);
        const { rootJobIsSelf: _, ...inherited } = params;
        for (const page of [1, 2, 3])
          spawn({
            type: 'refreshLinks',
            ...(namespace === undefined ? {} : { namespace }),
            ...(title === undefined ? {} : { title }),
            ignoreDuplicates: true,
            params: { ...inherited, page },
          });
      },
    };
    expect(await drained(ledger, [refreshLinks])).to.include({ succeeded: 4, superseded: 0 });
    expect(pages).to.have.members([1, 2, 3]);
    expect(new Set(stamps)).to.deep.equal(new Set([mediaWikiTimestamp(NEW)]));
  });
});
