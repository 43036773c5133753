import type { Invocation } from '../../../../src/app/cli/command.ts';

/** How a command was called, and what it prints. A flag is a text, several texts or true. */
export function invocationOf(
  positionals: readonly string[],
  flags: Readonly<Record<string, string | readonly string[] | true>> = {},
  more: object = {},
) {
  const said = { stdout: '', stderr: '' };
  const out = async (text: string): Promise<void> => {
    said.stdout += text;
  };
  const text = (flag: string): string | undefined => {
    const value = flags[flag];
    return typeof value === 'string' ? value : undefined;
  };
  const invocation = {
    positionals,
    text,
    texts: (flag: string) => (Array.isArray(flags[flag]) ? flags[flag] : []),
    has: (flag: string) => flags[flag] === true,
    settings: async () => ({ projectDir: '/project', state_dir: '/project/.crawlhouse' }),
    workingDirectory: '/here',
    signal: new AbortController().signal,
    terminal: null,
    person: null,
    ...{ print: out, write: out, progress: () => {} },
    printJson: (document: unknown) => out(`${JSON.stringify(document)}\n`),
    say: (text: string) => {
      said.stderr += text;
    },
    ...more,
  };
  return { invocation: invocation as never as Invocation, said };
}
