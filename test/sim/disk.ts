import { dirname } from 'node:path';
import type { World } from './world.ts';

/** A file: what processes read, and what a crash leaves. */
export interface SimFile {
  readonly ino: number;
  data: Buffer;
  /** Null until it was flushed for the first time. */
  durable: Buffer | null;
  mtime: number;
  mode: number;
  /** A file of SQLite on the real disk: its own protocol is trusted. */
  sqlite?: string;
}

type Change =
  | { readonly kind: 'put'; readonly path: string; readonly file: SimFile }
  | { readonly kind: 'remove'; readonly path: string }
  | { readonly kind: 'move'; readonly from: string; readonly path: string; readonly file: SimFile };

/** Names and contents of a machine's files. A flushed file is durable; so is a name once its folder was flushed. */
export class Disk {
  readonly files = new Map<string, SimFile>();
  readonly folders = new Map<string, number>([['/', 1]]);
  readonly #world: World;
  #durable = new Map<string, SimFile>();
  #changes: Change[] = [];
  /** Until when nothing can be written. */
  fullUntil = 0;
  #ino = 2;

  constructor(world: World) {
    this.#world = world;
  }

  create(path: string, mode: number, sqlite?: string): SimFile {
    if (!this.folders.has(dirname(path))) throw errno('ENOENT', 'open', path);
    if (this.folders.has(path)) throw errno('EISDIR', 'open', path);
    const file: SimFile = {
      ino: this.#ino++,
      data: Buffer.alloc(0),
      durable: null,
      mtime: this.#world.now,
      mode,
      ...(sqlite === undefined ? {} : { sqlite }),
    };
    this.files.set(path, file);
    this.#changes.push({ kind: 'put', path, file });
    return file;
  }

  file(path: string, call = 'open'): SimFile {
    const file = this.files.get(path);
    if (file === undefined) throw errno(this.folders.has(path) ? 'EISDIR' : 'ENOENT', call, path);
    return file;
  }

  /** @throws ENOSPC */
  write(file: SimFile, data: Buffer): void {
    this.refuseFull();
    file.data = data;
    file.mtime = this.#world.now;
  }

  refuseFull(path = ''): void {
    if (this.#world.now < this.fullUntil) throw errno('ENOSPC', 'write', path);
  }

  sync(path: string): void {
    const file = this.files.get(path);
    if (file) file.durable = file.data;
    else this.#syncFolder(path);
  }

  rename(from: string, to: string): void {
    if (this.folders.has(from)) {
      this.#renameFolder(from, to);
      return;
    }
    const file = this.file(from, 'rename');
    if (this.folders.has(to)) throw Object.assign(errno('EISDIR', 'rename', from), { dest: to });
    if (!this.folders.has(dirname(to))) throw errno('ENOENT', 'rename', from);
    this.files.delete(from);
    this.files.set(to, file);
    this.#changes.push({ kind: 'move', from, path: to, file });
  }

  link(from: string, to: string): void {
    const file = this.file(from, 'link');
    if (this.files.has(to)) throw errno('EEXIST', 'link', to);
    this.files.set(to, file);
    this.#changes.push({ kind: 'put', path: to, file });
  }

  remove(path: string, options: { readonly recursive?: boolean; readonly force?: boolean }): void {
    if (this.files.delete(path)) {
      this.#changes.push({ kind: 'remove', path });
      return;
    }
    if (!this.folders.has(path)) {
      if (options.force) return;
      throw errno('ENOENT', 'rm', path);
    }
    if (!options.recursive) throw errno('ERR_FS_EISDIR', 'rm', path);
    for (const name of [...this.files.keys()]) if (name.startsWith(`${path}/`)) this.remove(name, {});
    for (const name of [...this.folders.keys()])
      if (name === path || name.startsWith(`${path}/`)) this.folders.delete(name);
  }

  makeFolder(path: string, recursive: boolean): void {
    if (this.files.has(path)) throw errno('EEXIST', 'mkdir', path);
    if (this.folders.has(path)) {
      if (recursive) return;
      throw errno('EEXIST', 'mkdir', path);
    }
    if (!this.folders.has(dirname(path))) {
      if (!recursive) throw errno('ENOENT', 'mkdir', path);
      this.makeFolder(dirname(path), true);
    }
    this.folders.set(path, this.#ino++);
  }

  /** Names in a folder, or below it, relative to it. */
  list(path: string): string[] {
    if (!this.folders.has(path)) throw errno(this.files.has(path) ? 'ENOTDIR' : 'ENOENT', 'scandir', path);
    const start = path === '/' ? '/' : `${path}/`;
    return [...this.files.keys(), ...this.folders.keys()]
      .filter((name) => name.startsWith(start) && name !== path)
      .map((name) => name.slice(start.length))
      .sort();
  }

  /** The power fails: of what was not flushed, chance decides what is left. */
  crash(): void {
    const { random } = this.#world;
    for (const change of this.#changes) if (random() < 0.5 || isSqlite(change)) this.#keep(change);
    this.#changes = [];
    this.files.clear();
    for (const [path, file] of this.#durable) this.files.set(path, file);
    for (const file of new Set(this.files.values())) {
      if (file.sqlite !== undefined || file.data === file.durable) continue;
      const fate = random();
      if (fate < 0.3) continue;
      if (fate < 0.6 || file.durable === null) file.data = torn(file.data, random());
      else file.data = file.durable;
    }
    for (const file of this.files.values()) file.durable = file.data;
    // A file that comes back has its folder again.
    for (const path of this.files.keys()) this.makeFolder(dirname(path), true);
  }

  #keep(change: Change): void {
    if (change.kind === 'remove') this.#durable.delete(change.path);
    else this.#durable.set(change.path, change.file);
    if (change.kind === 'move') this.#durable.delete(change.from);
  }

  #syncFolder(path: string): void {
    if (!this.folders.has(path)) throw errno('ENOENT', 'open', path);
    const isOf = (change: Change): boolean =>
      dirname(change.path) === path || (change.kind === 'move' && dirname(change.from) === path);
    for (const change of this.#changes) if (isOf(change)) this.#keep(change);
    this.#changes = this.#changes.filter((change) => !isOf(change));
  }

  #renameFolder(from: string, to: string): void {
    for (const [path, ino] of [...this.folders]) {
      if (path !== from && !path.startsWith(`${from}/`)) continue;
      this.folders.delete(path);
      this.folders.set(to + path.slice(from.length), ino);
    }
    for (const path of [...this.files.keys()])
      if (path.startsWith(`${from}/`)) this.rename(path, to + path.slice(from.length));
  }
}

function isSqlite(change: Change): boolean {
  return change.kind !== 'remove' && change.file.sqlite !== undefined;
}

/** A part of the bytes, or zeros in the place of the others. */
function torn(data: Buffer, share: number): Buffer {
  const kept = Math.floor(data.length * ((share * 2) % 1));
  const part = Buffer.from(data.subarray(0, kept));
  return share < 0.5 ? part : Buffer.concat([part, Buffer.alloc(data.length - kept)]);
}

const NUMBERS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or directory',
  ENOSPC: 'no space left on device',
  EIO: 'i/o error',
  EISDIR: 'illegal operation on a directory',
  EEXIST: 'file already exists',
};

export function errno(code: string, syscall: string, path: string): NodeJS.ErrnoException {
  const said = `${code}: ${NUMBERS[code] ?? 'failed'}, ${syscall} '${path}'`;
  return Object.assign(new Error(said), { code, syscall, path });
}
