// Mocha's spec reporter, which also writes the real counts to a file and ends a run that something keeps alive.
import { writeFileSync } from 'node:fs';
import Mocha from 'mocha';

const patienceMs = 30_000;

const write = ({ passes, failures, pending }) => {
  const file = process.env.JOBLEDGER_TEST_COUNTS;
  if (file !== undefined) writeFileSync(file, JSON.stringify({ passes, failures, pending }));
};

export default class CountReporter extends Mocha.reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    runner.once('end', () => {
      write(runner.stats);
      // Mocha sets the exit status to what the tests said, so what goes wrong behind them is counted here.
      const countFailure = () => write({ ...runner.stats, failures: runner.stats.failures + 1 });
      process.on('uncaughtExceptionMonitor', countFailure);
      setTimeout(() => {
        const kept = process.getActiveResourcesInfo().join(', ');
        process.stderr.write(
          `the tests are over, but something they left open keeps the process alive: ${kept}\n`,
        );
        countFailure();
        process.exit(1);
      }, patienceMs).unref();
    });
  }
}
