import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { delimiter, extname, join, relative, sep } from 'node:path';
import { shellWord } from '../../core/text/shell-word.ts';
import { COMMAND_NAMES } from './command-names.ts';

export interface ProgramCall {
  readonly argv: readonly string[];
  readonly folder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

const ROOT = realpathSync(join(import.meta.dirname, '..', '..', '..'));
const BIN = join(ROOT, 'dist', 'app', 'cli', 'main.js');
const MAIN = join(import.meta.dirname, `main${extname(import.meta.filename)}`);
const LOCAL_BIN = join('node_modules', '.bin');
/** Commands that need no project folder. */
const WITHOUT_PROJECT: readonly string[] = ['init', 'sandbox start', 'completion', 'help'];
/** If one name is a prefix of another, the longer one matches first. */
const NAMES = [...COMMAND_NAMES, 'help'].sort((a, b) => b.length - a.length);
const COMMANDS = new RegExp(String.raw`(?<![\w/.-]|npx )crawlhouse (${NAMES.join('|')})\b`, 'g');

/**
 * Adapts the commands in a text to the user's folder: `crawlhouse run` becomes `npx crawlhouse run` in a clone. The
 * command names the project folder if the user's command line did.
 */
export function asCalled(text: string, call: ProgramCall = thisCall()): string {
  if (!text.includes('crawlhouse ')) return text;
  const project = projectOf(call.argv);
  return text.replaceAll(COMMANDS, (_all, name: string) =>
    [
      programWords(call),
      name,
      ...(project === undefined || WITHOUT_PROJECT.includes(name)
        ? []
        : ['--project-dir', shellWord(project)]),
    ].join(' '),
  );
}

/**
 * Returns the words that start this program in a folder: `crawlhouse` if the shell finds this installation, `npx
 * crawlhouse` if npm does, else the paths of the files. If npx does not find a name locally, it asks the registry,
 * where the package of that name is not ours.
 */
export function programWords({ folder, environment }: Omit<ProgramCall, 'argv'>): string {
  const paths = pathsOf(environment);
  if (found(paths, 'crawlhouse') === BIN) return 'crawlhouse';
  if (isLocal(folder)) return 'npx crawlhouse';
  const node = found(paths, 'node') === realpathSync(process.execPath) ? 'node' : process.execPath;
  return `${shellWord(node)} ${shellWord(MAIN)}`;
}

/**
 * Returns how to call the next commands for a project folder. The commands are called from that folder or, if only file
 * paths would work there and a short name works here, from the current folder.
 */
export function callFor(
  folder: string,
  here: ProgramCall = thisCall(),
): { readonly call: ProgramCall; readonly isThere: boolean } {
  const there = { ...here, argv: [], folder };
  if (hasName(there) || !hasName(here)) return { call: there, isThere: true };
  const way = relative(here.folder, folder);
  const path = way.length < folder.length ? way : folder;
  return { call: { ...here, argv: ['--project-dir', path] }, isThere: false };
}

/** Returns whether a name starts the program there, without a path. */
function hasName(call: ProgramCall): boolean {
  return ['crawlhouse', 'npx crawlhouse'].includes(programWords(call));
}

function thisCall(): ProgramCall {
  return { argv: process.argv.slice(2), folder: process.cwd(), environment: process.env };
}

function projectOf(argv: readonly string[]): string | undefined {
  const at = argv.findIndex((word) => word === '--project-dir' || word.startsWith('--project-dir='));
  return at < 0 ? undefined : (/=(.*)/s.exec(argv[at] ?? '')?.[1] ?? argv[at + 1]);
}

/** Returns the folders of the user's own PATH, without those that npm adds to the programs it starts. */
function pathsOf({ PATH = '', npm_command }: ProgramCall['environment']): readonly string[] {
  const all = PATH.split(delimiter).filter(Boolean);
  return npm_command === undefined ? all : all.filter((path) => !path.endsWith(LOCAL_BIN));
}

function found(paths: readonly string[], name: string): string | undefined {
  const first = paths.map((path) => join(path, name)).find((path) => existsSync(path));
  return first === undefined ? undefined : realpathSync(first);
}

/** Returns whether npx finds this program from a folder: in the package around it, or installed in it or above. */
function isLocal(folder: string): boolean {
  const above = foldersUp(realpathSync(folder));
  const home = above.find(
    (one) => existsSync(join(one, 'package.json')) || existsSync(join(one, 'node_modules')),
  );
  if (home === ROOT && isPackage(home)) return true;
  return (
    found(
      above.map((one) => join(one, LOCAL_BIN)),
      'crawlhouse',
    ) === BIN
  );
}

function isPackage(folder: string): boolean {
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { bin?: object };
  return bin !== undefined && 'crawlhouse' in bin;
}

function foldersUp(folder: string): string[] {
  const parts = folder.split(sep);
  return parts.map((_part, index) => parts.slice(0, parts.length - index).join(sep) || sep);
}
