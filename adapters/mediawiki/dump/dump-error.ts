/** What can go wrong with a dump. `line` is 1-based, 0 where no line was reached. */
interface DumpFault<Tag extends string> {
  readonly _tag: Tag;
  readonly path: string;
  readonly line: number;
  readonly message: string;
}
/** The file ends too early: what was read before is good, the rest is missing. */
export type DumpTruncated = DumpFault<'DumpTruncated'>;
/** One row (or one block) cannot be taken; reading goes on behind it. */
export type DumpInvalid = DumpFault<'DumpInvalid'>;
export type DumpNotRecognised = DumpFault<'DumpNotRecognised'>;
export type DumpUnreadable = DumpFault<'DumpUnreadable'>;
export type DumpError = DumpTruncated | DumpInvalid | DumpNotRecognised | DumpUnreadable;

interface Place {
  readonly path: string;
  readonly line: number;
}

export const dumpTruncated = ({ path, line }: Place, message: string): DumpTruncated => ({
  _tag: 'DumpTruncated',
  path,
  line,
  message,
});
export const dumpInvalid = ({ path, line }: Place, message: string): DumpInvalid => ({
  _tag: 'DumpInvalid',
  path,
  line,
  message,
});
export const dumpNotRecognised = (path: string, message: string): DumpNotRecognised => ({
  _tag: 'DumpNotRecognised',
  path,
  line: 0,
  message,
});
export const dumpUnreadable = ({ path, line }: Place, message: string): DumpUnreadable => ({
  _tag: 'DumpUnreadable',
  path,
  line,
  message,
});

export const explainDumpError = ({ path, line, message }: DumpError): string =>
  line > 0 ? `${path}, line ${line}: ${message}` : `${path}: ${message}`;
