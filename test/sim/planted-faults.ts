import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');
const FOLDER = join(import.meta.dirname, 'faults');

/** A fault that was planted in the product on purpose. */
export interface PlantedFault {
  readonly name: string;
  /** What is wrong, in one line. */
  readonly what: string;
  /** The oracle that objects, as the patch names it. */
  readonly oracle: string;
  readonly patch: string;
}

export function plantedFaults(): readonly PlantedFault[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.patch'))
    .sort()
    .map((file) => {
      const patch = join(FOLDER, file);
      const [what = '', oracle = ''] = readFileSync(patch, 'utf8').split('\n');
      return { name: file.replace('.patch', ''), what, oracle: oracle.replace('Oracle: ', ''), patch };
    });
}

/** Whether a patch still fits the product. */
export function applies({ patch }: PlantedFault): boolean {
  try {
    execFileSync('git', ['apply', '--check', patch], { cwd: ROOT, stdio: 'pipe' });
    return true;
  } catch {
    // It names the file and line that it missed.
    return false;
  }
}

/** A copy of the product and the simulation, in which faults are planted one at a time. */
export class FaultyCopy implements Disposable {
  readonly #folder = mkdtempSync(join(tmpdir(), 'crawlhouse-faults-'));

  constructor() {
    for (const part of ['src', 'package.json', 'test/sim', 'test/support/random.ts'])
      cpSync(join(ROOT, part), join(this.#folder, part), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(this.#folder, 'node_modules'));
  }

  /** Where its `child.ts` is. */
  get simulation(): string {
    return join(this.#folder, 'test', 'sim');
  }

  plant({ patch }: PlantedFault): Disposable {
    this.#apply(patch);
    return { [Symbol.dispose]: () => this.#apply('-R', patch) };
  }

  #apply(...given: readonly string[]): void {
    execFileSync('git', ['apply', ...given], {
      cwd: this.#folder,
      stdio: 'pipe',
      env: { ...process.env, GIT_CEILING_DIRECTORIES: tmpdir() },
    });
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
