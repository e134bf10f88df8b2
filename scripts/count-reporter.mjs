// Mocha's spec reporter, which also writes the real counts to a file and ends a run that something keeps alive.
import { writeFileSync } from 'node:fs';
import Mocha from 'mocha';

const patienceMs = 30_000;

export default class CountReporter extends Mocha.reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    runner.once('end', () => {
      const { passes, failures, pending } = runner.stats;
      const file = process.env.JOBLEDGER_TEST_COUNTS;
      if (file !== undefined) writeFileSync(file, JSON.stringify({ passes, failures, pending }));
      setTimeout(() => {
        const kept = process.getActiveResourcesInfo().join(', ');
        process.stderr.write(
          `the tests are over, but something they left open keeps the process alive: ${kept}\n`,
        );
        process.exit(97);
      }, patienceMs).unref();
    });
  }
}
