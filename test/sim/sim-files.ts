import { constants } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import type { HostFiles } from '../../src/core/host/host.ts';
import type { Decision } from './decisions.ts';
import { type Disk, errno, type SimFile } from './disk.ts';
import type { SimProcess } from './sim-process.ts';

type Data = string | Uint8Array;
interface StatOptions {
  readonly bigint?: boolean;
  readonly throwIfNoEntry?: boolean;
}

/** `node:fs` and `node:fs/promises` on the disks of a simulated machine, as far as the product uses them. */
export function simFiles(process: SimProcess): HostFiles {
  const disk = (path: string): Disk => process.machine.diskOf(path);
  const { world } = process;
  const act = <T>(kind: string, path: string, effect: (on: Disk, fault?: Decision) => T): Promise<T> =>
    process.operate(`file ${kind}`, path, 0.1 + world.random() * 2, (fault) => effect(disk(path), fault));
  const actNow = <T>(kind: string, path: string, effect: (on: Disk) => T): T =>
    process.operateNow(`file ${kind}`, path, () => effect(disk(path)));
  const look = <T>(path: string, effect: (on: Disk) => T): T => {
    process.refuseDead();
    return effect(disk(path));
  };

  /** Adds to a file; of one that gets no further, a part is there. */
  const append = (path: string, file: SimFile, data: Data): Promise<void> =>
    act('write', path, (on, fault) => {
      const bytes = Buffer.from(data as Uint8Array);
      if (fault?.fault === 'short') {
        file.data = Buffer.concat([file.data, bytes.subarray(0, Math.floor(fault.amount * bytes.length))]);
        throw errno('ENOSPC', 'write', path);
      }
      on.write(file, file.data.length === 0 ? bytes : Buffer.concat([file.data, bytes]));
    });

  const openFor = (path: string, flags: string | number, mode = 0o666): Promise<SimFile | null> =>
    act('open', path, (on) => {
      if (typeof flags === 'number' || flags.startsWith('r')) {
        if (on.folders.has(path)) return null;
        return on.file(path);
      }
      const known = on.files.get(path);
      if (known && flags.includes('x')) throw errno('EEXIST', 'open', path);
      if (known === undefined) on.refuseFull(path);
      const file = known ?? on.create(path, mode);
      file.data = Buffer.alloc(0);
      return file;
    });

  const handleOf = (path: string, file: SimFile | null) => {
    const own = (): SimFile => {
      if (file === null) throw errno('EISDIR', 'read', path);
      return file;
    };
    const close = async (): Promise<void> => process.refuseDead();
    return {
      fd: 3,
      sync: () =>
        act('sync', path, (on) => {
          if (file) file.durable = file.data;
          else on.sync(path);
        }),
      writeFile: (data: Data) => append(path, own(), data),
      readFile: (encoding?: BufferEncoding) => act('read', path, () => textOf(own(), encoding)),
      stat: (options?: StatOptions) => act('read', path, (on) => statOf(on, path, file, options)),
      close,
      createReadStream: ({ start = 0, end = Number.MAX_SAFE_INTEGER, signal }: ReadOptions = {}) =>
        Readable.from(
          readPieces(() => act('read', path, () => own().data.subarray(start, end + 1))),
          { objectMode: false, ...(signal ? { signal } : {}) },
        ),
      [Symbol.asyncDispose]: close,
    };
  };

  const writeFile = async (
    path: string,
    data: Data,
    options?: { flag?: string; mode?: number },
  ): Promise<void> => {
    const file = await openFor(path, options?.flag ?? 'w', options?.mode);
    if (file) await append(path, file, data);
  };

  const files = {
    open: async (path: string, flags: string | number = 'r', mode?: number) =>
      handleOf(path, await openFor(path, flags, mode)),
    readFile: (path: string, encoding?: BufferEncoding) =>
      act('read', path, (on) => textOf(on.file(path), encoding)),
    writeFile,
    rename: (from: string, to: string) =>
      act('rename', `${from} ${basename(to)}`, () => disk(from).rename(from, to)),
    link: (from: string, to: string) => act('link', to, (on) => on.link(from, to)),
    rm: (path: string, options = {}) => act('remove', path, (on) => on.remove(path, options)),
    readdir: (path: string, options: { recursive?: boolean; withFileTypes?: boolean } = {}) =>
      act('read', path, (on) => {
        const names = on.list(path).filter((name) => options.recursive || !name.includes('/'));
        if (!options.withFileTypes) return names;
        return names.map((name) => ({
          name: basename(name),
          parentPath: dirname(join(path, name)),
          isFile: () => on.files.has(join(path, name)),
          isDirectory: () => on.folders.has(join(path, name)),
        }));
      }),
    stat: (path: string, options?: StatOptions) => act('read', path, (on) => statOf(on, path, null, options)),
    lstat: (path: string, options?: StatOptions) =>
      act('read', path, (on) => statOf(on, path, null, options)),
    chmod: (path: string) => act('mode', path, () => {}),
    copyFile: async (from: string, to: string, mode = 0) => {
      if ((mode & constants.COPYFILE_FICLONE_FORCE) !== 0) throw errno('ENOTSUP', 'copyfile', from);
      const data = await act('read', from, (on) => on.file(from).data);
      await writeFile(to, data);
    },
    createReadStream: (path: string) =>
      Readable.from(
        readPieces(() => act('read', path, (on) => on.file(path).data)),
        { objectMode: false },
      ),
    createWriteStream: (path: string, { flags = 'w', mode }: { flags?: string; mode?: number } = {}) => {
      let file: SimFile | null = null;
      return new Writable({
        construct(done) {
          openFor(path, flags, mode).then((opened) => {
            file = opened;
            done();
          }, done);
        },
        write(chunk: Buffer, _encoding, done) {
          append(path, file as SimFile, chunk).then(() => done(), done);
        },
      });
    },
    existsSync: (path: string) => look(path, (on) => on.files.has(path) || on.folders.has(path)),
    statSync: (path: string, options?: StatOptions) =>
      look(path, (on) => {
        if (options?.throwIfNoEntry === false && !on.files.has(path) && !on.folders.has(path))
          return undefined;
        return statOf(on, path, null, options);
      }),
    readFileSync: (path: string, encoding?: BufferEncoding) =>
      look(path, (on) => textOf(on.file(path), encoding)),
    writeFileSync: (path: string, data: Data) =>
      actNow('write', path, (on) =>
        on.write(on.files.get(path) ?? on.create(path, 0o666), Buffer.from(data as Uint8Array)),
      ),
    renameSync: (from: string, to: string) => actNow('rename', from, (on) => on.rename(from, to)),
    rmSync: (path: string, options = {}) => actNow('remove', path, (on) => on.remove(path, options)),
    mkdirSync: (path: string) => actNow('folder', path, (on) => on.makeFolder(path, false)),
    lstatSync: (path: string, options?: StatOptions) => files.statSync(path, options),
    chmodSync: () => {},
    realpathSync: (path: string) => path,
    truncateSync: (path: string) => actNow('write', path, (on) => on.write(on.file(path), Buffer.alloc(0))),
  };
  return files as unknown as HostFiles;
}

interface ReadOptions {
  readonly start?: number;
  readonly end?: number;
  readonly signal?: AbortSignal;
}

async function* readPieces(read: () => Promise<Buffer>): AsyncGenerator<Buffer> {
  const bytes = await read();
  if (bytes.length > 0) yield bytes;
}

function textOf(file: SimFile, encoding?: BufferEncoding): string | Buffer {
  return encoding === undefined ? file.data : file.data.toString(encoding);
}

/** @param opened the file of a handle, whatever its name is by now */
function statOf(on: Disk, path: string, opened: SimFile | null, options: StatOptions = {}) {
  const file = opened ?? on.files.get(path);
  const folder = on.folders.get(path);
  if (file === undefined && folder === undefined) throw errno('ENOENT', 'stat', path);
  const facts = {
    dev: 1,
    ino: file?.ino ?? folder ?? 0,
    size: file?.data.length ?? 0,
    mode: file?.mode ?? 0o700,
  };
  const kind = { isFile: () => file !== undefined, isDirectory: () => file === undefined };
  const mtime = file?.mtime ?? 0;
  if (!options.bigint) return { ...facts, ...kind, mtimeMs: mtime };
  const { dev, ino, size, mode } = facts;
  return {
    dev: BigInt(dev),
    ino: BigInt(ino),
    size: BigInt(size),
    mode: BigInt(mode),
    ...kind,
    mtimeMs: BigInt(Math.floor(mtime)),
    mtimeNs: BigInt(Math.floor(mtime * 1000)) * 1000n,
  };
}
