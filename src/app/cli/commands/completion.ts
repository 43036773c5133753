import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { lookUp } from '../../../core/text/look-up.ts';
import { loadPipelines } from '../../../etl/project/settings/pipelines.ts';
import { loadModels } from '../../../etl/project/sql/models/load-models.ts';
import { sqlFolders } from '../../../etl/project/sql/models/sql-folders.ts';
import { loadQuestions } from '../../../etl/project/sql/questions/questions.ts';
import { knownProjects } from '../../../etl/state/catalog/known-projects.ts';
import { RULE_NAMES } from '../../answers/explore/compare/rules/fail-rules.ts';
import { openWarehouse } from '../../answers/query/open-warehouse.ts';
import { type Command, type Flag, GLOBAL_FLAGS, type Invocation } from '../command.ts';

/** Each script asks this program for the words, because they include names of the project folder. */
const SCRIPTS: Readonly<Record<string, string>> = {
  bash: `_crawlhouse() {
  local word
  COMPREPLY=()
  while IFS= read -r word; do
    printf -v word %q "$word"
    COMPREPLY+=("$word")
  done < <(crawlhouse completion words -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _crawlhouse crawlhouse
`,
  zsh: `#compdef crawlhouse
_crawlhouse() {
  local -a found
  found=("\${(@f)$(crawlhouse completion words -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  compadd -a found
}
compdef _crawlhouse crawlhouse
`,
  fish: `complete -c crawlhouse -f -a '(crawlhouse completion words -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'
`,
};
const SHELLS = Object.keys(SCRIPTS);

export const completion: Command = {
  name: 'completion',
  summary: 'print a completion script for a shell',
  positionals: { shown: SHELLS.join('|'), most: Number.POSITIVE_INFINITY },
  flags: {},
  async run(invocation) {
    const [shell = '', ...words] = invocation.positionals;
    // The scripts call this.
    if (shell === 'words') {
      await invocation.write((await completeWords(words, invocation)).map((word) => `${word}\n`).join(''));
      return 0;
    }
    const script = lookUp(SCRIPTS, shell);
    if (script === undefined || words.length > 0) {
      throw new CrawlhouseError(
        'usage',
        shell === '' ? 'no shell is named' : `there is no script for ${[shell, ...words].join(' ')}`,
        { hint: `shells: ${SHELLS.join(', ')}; eval "$(crawlhouse completion bash)" in ~/.bashrc` },
      );
    }
    await invocation.write(script);
    return 0;
  },
};

/**
 * Returns the candidates that complete the last word.
 *
 * @param words a command line without the program's name; the last word is unfinished, and may be empty
 */
async function completeWords(words: readonly string[], invocation: Invocation): Promise<string[]> {
  const before = words.slice(0, -1);
  const begun = words.at(-1) ?? '';
  const candidates = await candidatesBehind(
    before[0] === 'help' ? before.slice(1) : before,
    begun,
    invocation,
  );
  return [...new Set(candidates)].filter((one) => one.startsWith(begun));
}

async function candidatesBehind(
  before: readonly string[],
  begun: string,
  invocation: Invocation,
): Promise<readonly string[]> {
  const command = await invocation.commands.of(before);
  const words = nextWords(invocation.commands.names, before);
  if (!command) return words;
  const flags: Readonly<Record<string, Flag>> = { ...command.flags, ...GLOBAL_FLAGS };
  const flag = lookUp(flags, before.at(-1)?.replace(/^--/, '') ?? '');
  if (before.at(-1)?.startsWith('--') && flag?.value !== undefined)
    return flag.values ?? (await namesOf(flag.value, invocation));
  if (begun.startsWith('-')) return Object.keys(flags).map((name) => `--${name}`);
  if (before.includes('--question')) return namesOf('QUESTION', invocation);
  return [
    ...words,
    ...(await namesOf(/PIPELINE|MODEL/.exec(command.positionals?.shown ?? '')?.[0] ?? '', invocation)),
  ];
}

function nextWords(names: readonly string[], before: readonly string[]): string[] {
  return [...names, 'help'].flatMap((name) => {
    const words = name.split(' ');
    return before.every((word, index) => words[index] === word) ? (words[before.length] ?? []) : [];
  });
}

/** Returns names of the project folder for a placeholder of the help; none for other placeholders. */
async function namesOf(placeholder: string, invocation: Invocation): Promise<readonly string[]> {
  switch (placeholder) {
    case 'PIPELINE':
      return (await loadPipelines(invocation.projectDir())).map((pipeline) => pipeline.dataset);
    case 'MODEL':
      return (await loadModels(sqlFolders(await invocation.settings()))).flatMap(({ name }) => [
        name.slice(name.indexOf('.') + 1),
        name,
      ]);
    case 'QUESTION':
      return (await loadQuestions(sqlFolders(await invocation.settings()))).map((question) => question.name);
    case 'P': {
      await using warehouse = await openWarehouse(invocation, await invocation.settings());
      return await knownProjects(warehouse, invocation.signal);
    }
    case 'RULES':
      return RULE_NAMES;
    default:
      return [];
  }
}
