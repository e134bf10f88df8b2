// Variants that take minutes, for a machine of one's own.
/** True where JOBLEDGER_LARGE=1 asks for them; otherwise the test says why it is skipped, and is. */
export const isLarge = (context: Mocha.Context, what: string): boolean => {
  if (process.env['JOBLEDGER_LARGE'] === '1') return true;
  console.log(`      skipped: ${what} takes minutes; JOBLEDGER_LARGE=1 runs it`);
  context.skip();
};
