// Instants only: a local time is refused, and no zone of process or session changes what is stored, shown or measured.
import { expect } from 'chai';
import { millisecondsBetween } from '../../domain/instant.js';
import { catchUpProjections } from '../../projections/index.js';
import { openLedger, type Ledger } from '../../runners/ledger.js';
import { producer } from '../../runners/producer/producer.js';
import { commandLine } from '../runners/cli/command-line.js';
import { right } from '../support/ledger-database.js';
import { column, enqueued, factsOf, testLedger, type TestLedger } from '../support/ledger.js';

const ZONES = ['Australia/Melbourne', 'America/New_York', 'UTC'] as const;
const HOUR_MS = 3_600_000;

describe('field case 11: zones, and the hour that is there twice', () => {
  let ledger: TestLedger;
  let zone: string | undefined;

  before(async () => {
    ledger = await testLedger();
    zone = process.env['TZ'];
  });
  afterEach(() => {
    if (zone === undefined) delete process.env['TZ'];
    else process.env['TZ'] = zone;
  });
  after(() => ledger.drop());

  /** A ledger on sessions in that zone, in a process in that zone. */
  const within = async <A>(name: string, use: (there: Ledger) => Promise<A>): Promise<A> => {
    process.env['TZ'] = name;
    expect(Intl.DateTimeFormat().resolvedOptions().timeZone).to.equal(name);
    const url = new URL(ledger.url);
    url.searchParams.set('options', `-c TimeZone=${name}`);
    const there = await right(
      openLedger({
        databaseUrl: url.href,
        home: '',
        schema: ledger.schema,
        by: 'test',
        report: () => undefined,
      }),
    );
    try {
      return await use(there);
    } finally {
      await there.close();
    }
  };

  for (const name of ZONES) {
    it(`refuses --not-before without an offset, and takes one by its offset: TZ=${name}`, async () => {
      process.env['TZ'] = name;
      const cli = commandLine({ JOBLEDGER_DATABASE_URL: ledger.url });
      const local = await cli('enqueue', 'later', '--not-before', '2100-11-07T01:30');
      expect(local.status).to.equal(2);
      expect(local.stderr).to.include('offset');
      const instants: string[] = [];
      for (const offset of ['-04:00', '-05:00']) {
        const said = await cli('enqueue', 'later', '--not-before', `2100-11-07T01:30${offset}`, '--json');
        expect(said.status, said.stderr).to.equal(0);
        const [enqueue] = await factsOf(ledger, JSON.parse(said.stdout).jobId, 'JobEnqueued');
        instants.push(enqueue?.notBefore ?? '');
      }
      expect(instants).to.deep.equal(['2100-11-07T05:30:00.000Z', '2100-11-07T06:30:00.000Z']);
    });

    it(`shows the 14 digits of a row in UTC: TZ=${name}`, () =>
      within(name, async (there) => {
        const [id = ''] = await enqueued(there, { type: 'digits', wiki: name });
        await right(there.catchUp(catchUpProjections));
        const [enqueue] = await factsOf(there, id, 'JobEnqueued');
        const digits = (enqueue?.enqueuedAt ?? '').replaceAll(/\D/g, '').slice(0, 14);
        for (const view of ['job_1_19', 'job_1_36']) {
          const [shown] = await column(
            there,
            `SELECT v.job_timestamp::text FROM __schema__.${view} v JOIN __schema__.job j ON j.job_id = v.job_id
             WHERE j.job_uuid = $1`,
            id,
          );
          expect(shown, view).to.equal(digits);
        }
      }));

    it(`measures the lag over both changes of the clocks without a jump: TZ=${name}`, () =>
      within(name, async (there) => {
        const due = {
          'New York, first': '2025-11-02T01:30:00-04:00',
          'New York, second': '2025-11-02T01:30:00-05:00',
          'Melbourne, first': '2026-04-05T02:30:00+11:00',
          'Melbourne, second': '2026-04-05T02:30:00+10:00',
          ahead: '9000-01-01T00:00:00Z',
        };
        const jobs = Object.entries(due).map(([type, notBefore]) => ({
          type,
          notBefore,
          wiki: `lag ${name}`,
        }));
        // Enqueued before all of them: a time that has passed by then counts as none.
        const clock = { ...there.clock, now: () => '2025-01-01T00:00:00.000Z' };
        await enqueued({ ...there, producer: producer({ ...there, clock, by: 'earlier' }) }, ...jobs);
        await right(there.catchUp(catchUpProjections));
        const now = await right(there.index.now());
        const views = await right(there.reading.queueViews());
        const lag = new Map<string, number>();
        for (const { wiki, type, lagSeconds, oldestReadyAt } of views) {
          expect(lagSeconds).to.be.at.least(0);
          if (wiki !== `lag ${name}`) continue;
          lag.set(type, lagSeconds);
          if (oldestReadyAt === null) continue;
          const age = millisecondsBetween(oldestReadyAt, now) / 1_000;
          expect(Math.abs(age - lagSeconds), type).to.be.below(60);
        }
        const apart = (city: string): number =>
          Math.round(((lag.get(`${city}, first`) ?? 0) - (lag.get(`${city}, second`) ?? 0)) * 1_000);
        expect([apart('New York'), apart('Melbourne')]).to.deep.equal([HOUR_MS, HOUR_MS]);
        expect(lag.get('ahead')).to.equal(0);
      }));
  }
});
