import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Paths that a process reads at any time: of the system, and what the engine asks of its machine. */
const OF_THE_SYSTEM = /^\/(?:proc|sys|dev|usr|lib|lib64)(?:\/|$)|^\/etc\/(?:localtime|ld\.so\.cache)$/;
const ATTACH_MS = 10_000;

/** The files that this process opens, makes, renames and removes, by strace. */
export interface FileTrace {
  /** Paths since the last call that are not the process's own. */
  foreign(isOwn: (path: string, isListed: boolean) => boolean): string[];
  close(): Promise<void>;
}

/** Undefined where strace is missing, or may not look at this process. */
export async function traceFiles(output: string): Promise<FileTrace | undefined> {
  if (spawnSync('strace', ['-V']).status !== 0) return undefined;
  const child = spawn(
    'strace',
    ['-f', '-qq', '-s', '4096', '-e', 'trace=%file', '-o', output, '-p', `${process.pid}`],
    { stdio: 'ignore' },
  );
  let isOver = false;
  child.once('exit', () => {
    isOver = true;
  });
  // A path that nobody has shows that the trace is under way.
  const probe = `/crawlhouse-fuzz-probe-${process.pid}`;
  const until = Date.now() + ATTACH_MS;
  while (!isOver && Date.now() < until) {
    existsSync(probe);
    if (existsSync(output) && readFileSync(output, 'utf8').includes(probe)) break;
    await sleep(50);
  }
  if (isOver || Date.now() >= until) {
    child.kill();
    return undefined;
  }
  let read = readFileSync(output).length;
  return {
    foreign(isOwn) {
      const bytes = readFileSync(output);
      const end = bytes.lastIndexOf(10) + 1;
      const lines = bytes.subarray(read, end).toString('latin1').split('\n');
      read = end;
      return lines.flatMap((line) => {
        const [, call = ''] = /^\d+ +(\w+)\(/.exec(line) ?? [];
        // Whether something is there is no secret, and the cases themselves look at their folders.
        if (call === '' || /stat|access|readlink|getcwd/.test(call)) return [];
        const paths = [...line.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, path = '']) => resolve(path));
        const isListed = line.includes('O_DIRECTORY');
        return paths.filter((path) => path !== output && !OF_THE_SYSTEM.test(path) && !isOwn(path, isListed));
      });
    },
    async close() {
      child.kill('SIGINT');
      if (!isOver) await once(child, 'exit');
    },
  };
}
