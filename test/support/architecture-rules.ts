// The dependency rule: domain <- projections <- adapters <- runners, and who may use which package.
import { layers, target, type Layer, type SourceFile } from './source-files.js';

const pure = ['fp-ts', 'io-ts'];

// Every adapter knows its own technology and no other.
const technologies: Readonly<Record<string, readonly string[]>> = {
  embedded: [],
  eventstoredb: ['@eventstore/db-client'],
  http: [],
  mediawiki: ['pg', 'pg-copy-streams'],
  memory: [],
  postgres: ['pg', 'pg-copy-streams'],
};

const anyAdapter: readonly string[] = [];

// The drop-in for MediaWiki is SQL within our PostgreSQL schema.
const sidewaysAllowed = new Set(['mediawiki -> postgres']);

const packageOf = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');

const adapterOf = (path: string): string | undefined => /^adapters\/([^/]+)\//.exec(path)?.[1];

const packagesFor = ({ layer, path }: SourceFile, declared: readonly string[]): readonly string[] => {
  switch (layer) {
    case 'domain':
    case 'projections':
      return pure;
    case 'adapters':
      return [...pure, ...anyAdapter, ...(technologies[adapterOf(path) ?? ''] ?? [])];
    case 'runners':
      return declared;
  }
};

const isBelowOrSame = (layer: Layer, other: string): boolean => {
  const rank = layers.findIndex((name) => name === other);
  return rank >= 0 && rank <= layers.indexOf(layer);
};

const ownFileProblem = (file: SourceFile, specifier: string): string | undefined => {
  const path = target(file.path, specifier);
  if (!isBelowOrSame(file.layer, path.split('/')[0] ?? '')) return `${file.layer} must not know ${path}`;
  const [from, to] = [adapterOf(file.path), adapterOf(path)];
  if (from === undefined || to === undefined || from === to || sidewaysAllowed.has(`${from} -> ${to}`)) {
    return undefined;
  }
  return `adapter ${from} must not know adapter ${to}`;
};

const packageProblem = (
  file: SourceFile,
  specifier: string,
  declared: readonly string[],
): string | undefined => {
  if (specifier.startsWith('node:')) {
    return file.layer === 'domain' || file.layer === 'projections'
      ? `${file.layer} must not use Node.js`
      : undefined;
  }
  if (/^(fp-ts|io-ts)\/(?!lib\/.+\.js$)/.test(specifier))
    return "plain Node.js resolves only 'fp-ts/lib/Name.js'";
  const name = packageOf(specifier);
  if (!packagesFor(file, declared).includes(name))
    return `${file.path.split('/').slice(0, 2).join('/')} must not use ${name}`;
  return declared.includes(name) ? undefined : `${name} is no runtime dependency of package.json`;
};

export const importProblems = (file: SourceFile, declared: readonly string[]): readonly string[] =>
  file.imports.flatMap((specifier) => {
    const problem = specifier.startsWith('.')
      ? ownFileProblem(file, specifier)
      : packageProblem(file, specifier, declared);
    return problem === undefined ? [] : [`${file.path} imports '${specifier}': ${problem}`];
  });

const timeAndChance = [
  /\bDate\s*\.\s*now\b/,
  /\bnew\s+Date\s*(\(\s*\)|[^\s(])/,
  /(?<!new\s)\bDate\s*\(/,
  /\bMath\s*\.\s*random\b/,
  /\bperformance\s*\./,
  /\bcrypto\s*\./,
  /\b(setTimeout|setInterval|setImmediate|queueMicrotask)\b/,
  /\bprocess\s*\.\s*hrtime\b/,
  /\bglobalThis\b/,
];

const machine = [/\bprocess\s*[.[]/, /\bBuffer\b/, /\bPromise\b/, /\basync\b/, /\bawait\b/];

export const ambientProblems = ({ layer, path, code }: SourceFile): readonly string[] => {
  const forbidden = layer === 'domain' ? [...timeAndChance, ...machine] : timeAndChance;
  return forbidden.flatMap((form) => {
    const found = form.exec(code)?.[0];
    return found === undefined ? [] : [`${path} uses '${found}'`];
  });
};
