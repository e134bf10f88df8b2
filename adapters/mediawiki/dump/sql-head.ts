/** What a statement is, told by its beginning. Names are compared without quotes. */
export type SqlHead =
  | {
      readonly _tag: 'Insert';
      readonly table: string;
      readonly columns: readonly string[] | undefined;
      readonly length: number;
    }
  | {
      readonly _tag: 'Copy';
      readonly table: string;
      readonly columns: readonly string[] | undefined;
      readonly length: number;
    }
  | { readonly _tag: 'CreateTable'; readonly table: string; readonly length: number }
  | { readonly _tag: 'Use'; readonly database: string }
  | { readonly _tag: 'Delimiter'; readonly delimiter: string }
  | { readonly _tag: 'Begin' }
  | { readonly _tag: 'End' }
  | { readonly _tag: 'Other' };

const IDENTIFIER = '(?:"[^"]+"|`[^`]+`|[\\w$\\x80-\\xff]+)';
const NAME = `(${IDENTIFIER}(?:\\s*\\.\\s*${IDENTIFIER})*)`;
const COLUMNS = '(?:\\s*\\(([^()]*)\\))?';
const INSERT = new RegExp(
  `^(?:INSERT|REPLACE)(?:\\s+(?:IGNORE|DELAYED|LOW_PRIORITY|OR\\s+\\w+))*\\s+INTO\\s+${NAME}${COLUMNS}\\s*(?:OVERRIDING\\s+\\w+\\s+VALUE\\s+)?VALUES\\s*`,
  'i',
);
const COPY = new RegExp(`^COPY\\s+${NAME}${COLUMNS}\\s+FROM\\s+stdin[^;\\n]*;[^\\n]*\\n`, 'i');
const CREATE = new RegExp(
  `^CREATE\\s+(?:UNLOGGED\\s+)?TABLE\\s+(?:IF\\s+NOT\\s+EXISTS\\s+)?${NAME}\\s*(?=\\()`,
  'i',
);
const USE = new RegExp(`^USE\\s+${NAME}\\s*;`, 'i');
const DELIMITER = /^DELIMITER[ \t]+(\S+)/i;

const plainName = (name: string): string => name.replaceAll(/["`\s]/g, '');

const columnNames = (list: string | undefined): readonly string[] | undefined =>
  list?.split(',').map((name) => plainName(name));

/** `text`: the first bytes of the statement as latin1. */
export const sqlHead = (text: string): SqlHead => {
  const insert = INSERT.exec(text);
  if (insert !== null) {
    const [{ length }, table = '', columns] = insert;
    return { _tag: 'Insert', table: plainName(table), columns: columnNames(columns), length };
  }
  const copy = COPY.exec(text);
  if (copy !== null) {
    const [{ length }, table = '', columns] = copy;
    return { _tag: 'Copy', table: plainName(table), columns: columnNames(columns), length };
  }
  const create = CREATE.exec(text);
  if (create !== null)
    return { _tag: 'CreateTable', table: plainName(create[1] ?? ''), length: create[0].length };
  return otherHead(text);
};

const otherHead = (text: string): SqlHead => {
  const use = USE.exec(text)?.[1];
  if (use !== undefined) return { _tag: 'Use', database: plainName(use) };
  const delimiter = DELIMITER.exec(text)?.[1];
  if (delimiter !== undefined) return { _tag: 'Delimiter', delimiter };
  if (/^BEGIN\b/i.test(text)) return { _tag: 'Begin' };
  if (/^(?:COMMIT|ROLLBACK|END)\b/i.test(text)) return { _tag: 'End' };
  return { _tag: 'Other' };
};

const NOT_A_COLUMN =
  /^(?:PRIMARY|KEY|UNIQUE|CONSTRAINT|INDEX|CHECK|FOREIGN|EXCLUDE|LIKE|FULLTEXT|SPATIAL|PERIOD)\b/i;
const PIECE = /'(?:[^'\\]|\\[^]|'')*'|"[^"]*"|`[^`]*`|[(),]|[^'"`(),]+/g;

/** The columns of `(…)`, the body of a CREATE TABLE. */
export const createdColumns = (body: string): readonly string[] => {
  const definitions: string[] = [''];
  let depth = 0;
  for (const [piece] of body.matchAll(PIECE)) {
    if (piece === '(') depth += 1;
    else if (piece === ')') depth -= 1;
    if (piece === ',' && depth === 1) definitions.push('');
    else if (depth > 0 && !(piece === '(' && depth === 1))
      definitions.push((definitions.pop() ?? '') + piece);
  }
  const columns = definitions
    .map((definition) => definition.trim())
    .filter((text) => !NOT_A_COLUMN.test(text));
  return columns.map((definition) => plainName(new RegExp(`^${IDENTIFIER}`).exec(definition)?.[0] ?? ''));
};
