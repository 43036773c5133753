import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * `npm run size`: what the package and an installation consist of. The packages are those of the lockfile that a person
 * gets, as they lie in `node_modules`; each stands under the dependency that alone brings it.
 */
const ROOT = join(import.meta.dirname, '..');

interface Locked {
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

interface Installed {
  readonly name: string;
  readonly bytes: number;
  /** The packages that come with it alone, itself among them. */
  readonly packages: number;
}

const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
  packages: Readonly<Record<string, Locked>>;
};

/** Where Node finds a package that another one names. */
function placeOf(name: string, from: string): string | undefined {
  for (let at = from; ; at = at.slice(0, Math.max(at.lastIndexOf('/node_modules/'), 0))) {
    const place = `${at === '' ? '' : `${at}/`}node_modules/${name}`;
    if (packages[place] !== undefined) return existsSync(join(ROOT, place)) ? place : undefined;
    if (at === '') return undefined;
  }
}

/** All that is installed for some packages. */
function closureOf(names: readonly string[]): Set<string> {
  const found = new Set<string>();
  const visit = (name: string, from: string): void => {
    const place = placeOf(name, from);
    if (place === undefined || found.has(place)) return;
    found.add(place);
    const { dependencies, optionalDependencies } = packages[place] ?? {};
    for (const one of Object.keys({ ...dependencies, ...optionalDependencies })) visit(one, place);
  };
  for (const name of names) visit(name, '');
  return found;
}

/** The bytes of a package's files, without packages in it. */
function bytesOf(folder: string): number {
  return readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
    if (entry.isDirectory())
      return entry.name === 'node_modules' ? sum : sum + bytesOf(join(folder, entry.name));
    return entry.isFile() ? sum + statSync(join(folder, entry.name)).size : sum;
  }, 0);
}

/** What each dependency brings that no other one does, the largest first; `shared` is the rest. */
export function installedSizes(): { readonly own: readonly Installed[]; readonly shared: Installed } {
  const names = Object.keys(packages['']?.dependencies ?? {});
  const all = closureOf(names);
  const sizes = new Map([...all].map((place) => [place, bytesOf(join(ROOT, place))]));
  const sum = (places: readonly string[]): number =>
    places.reduce((total, place) => total + (sizes.get(place) ?? 0), 0);
  const own = names.map((name) => {
    const rest = closureOf(names.filter((other) => other !== name));
    const alone = [...all].filter((place) => !rest.has(place));
    return { name, bytes: sum(alone), packages: alone.length };
  });
  const counted = own.reduce((total, one) => total + one.packages, 0);
  const bytes = sum([...all]) - own.reduce((total, one) => total + one.bytes, 0);
  return {
    own: own.toSorted((a, b) => b.bytes - a.bytes),
    shared: { name: 'shared by several', bytes, packages: all.size - counted },
  };
}

interface Tarball {
  readonly size: number;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string; readonly size: number }[];
}

function tarball(): Tarball {
  const said = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  const [one] = Object.values(JSON.parse(said) as Record<string, Tarball>);
  if (one === undefined) throw new Error('npm pack says nothing of a tarball');
  return one;
}

function print(): void {
  const mb = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`.padStart(9);
  const { size, unpackedSize, files } = tarball();
  console.log(`the tarball: ${mb(size).trim()}, unpacked ${mb(unpackedSize).trim()}, ${files.length} files`);
  const folders = Map.groupBy(files, ({ path }) => (path.includes('/') ? path.split('/')[0] : 'other files'));
  for (const [name, of] of folders)
    console.log(`${mb(of.reduce((sum, file) => sum + file.size, 0))}  ${name}, ${of.length} files`);
  const { own, shared } = installedSizes();
  const all = [...own, shared];
  const bytes = unpackedSize + all.reduce((sum, one) => sum + one.bytes, 0);
  const count = all.reduce((sum, one) => sum + one.packages, 0);
  console.log(`\nan installation: ${mb(bytes).trim()}, ${count} packages beside this one`);
  for (const one of [{ name: 'crawlhouse itself', bytes: unpackedSize, packages: 1 }, ...all])
    console.log(`${mb(one.bytes)}  ${one.name}${one.packages > 1 ? `, ${one.packages} packages` : ''}`);
}

if (import.meta.main) print();
