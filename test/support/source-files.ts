// Reads the production sources and their imports as text, for the architecture test.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join, posix, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

export const layers = ['domain', 'projections', 'adapters', 'runners'] as const;
export type Layer = (typeof layers)[number];

export interface SourceFile {
  readonly path: string;
  readonly layer: Layer;
  readonly code: string;
  readonly imports: readonly string[];
}

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

const importForms = [
  /\b(?:import|export)\b[^'";]*?\bfrom\s*['"]([^'"]+)['"]/g,
  // Not the word as a text, such as a command's name.
  /(?<!['"])\bimport\s*['"]([^'"]+)['"]/g,
  /\bimport\s*\(\s*['"`]([^'"`]+)['"`]/g,
  /\brequire\s*\(\s*['"`]([^'"`]+)['"`]/g,
];

export const withoutComments = (text: string): string =>
  text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/(^|\s)\/\/.*$/gm, '$1');

export const importsOf = (code: string): readonly string[] =>
  importForms.flatMap((form) => [...code.matchAll(form)].map((match) => match[1] ?? ''));

const readSource = (layer: Layer, path: string): SourceFile => {
  const code = withoutComments(readFileSync(join(root, path), 'utf8'));
  return { path, layer, code, imports: importsOf(code) };
};

const filesOf = (layer: Layer): readonly SourceFile[] => {
  const folder = join(root, layer);
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.[cm]?tsx?$/.test(name))
    .map((name) => readSource(layer, posix.join(layer, name.split(sep).join('/'))));
};

export const sourceFiles = (): readonly SourceFile[] => layers.flatMap(filesOf);

// Where a relative import leads, as a path from the top of the project.
export const target = (from: string, specifier: string): string =>
  relative(root, join(root, posix.dirname(from), specifier))
    .split(sep)
    .join('/');

export const runtimeDependencies = (): readonly string[] => {
  const manifest: unknown = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const dependencies: unknown = Object.entries(Object(manifest)).find(
    ([name]) => name === 'dependencies',
  )?.[1];
  return Object.keys(Object(dependencies));
};
