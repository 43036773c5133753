import { markdownProse, markdownTable } from '../src/app/answers/presentation/markdown.ts';
import { type Flag, GLOBAL_FLAGS } from '../src/app/cli/command.ts';
import { allCommands } from '../src/app/cli/commands.ts';
import { usageLine } from '../src/app/cli/help.ts';

const HEAD = `# Commands

Every command with its flags, as \`--help\` shows them. Data goes to stdout, everything else to stderr.
[errors.md](../errors.md) has the exit codes.
`;

/** The page of every command, from the table that the program itself reads. */
export async function commandsPage(): Promise<string> {
  const sections = (await allCommands()).map((command) => {
    const flags = flagTable(command.flags);
    const usage = `    ${usageLine(command)}\n`;
    return [`## ${command.name}\n`, `${markdownProse(command.summary)}\n`, usage, ...flags].join('\n');
  });
  return [HEAD, ...sections, '## Flags of every command\n', ...flagTable(GLOBAL_FLAGS)].join('\n');
}

function flagTable(flags: Readonly<Record<string, Flag>>): string[] {
  const rows = Object.entries(flags).map(([name, { value, help, values = [] }]) => [
    `\`--${name}${value === undefined ? '' : ` ${value}`}\``,
    markdownProse(values.length > 0 ? `${help}: ${values.join(', ')}` : help),
  ]);
  return rows.length > 0 ? [...markdownTable([['flag', 'does'], ...rows]), ''] : [];
}
