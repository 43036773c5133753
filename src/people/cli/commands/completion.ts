import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { lookUp } from '../../../core/text/look-up.ts';
import type { Command } from '../command.ts';
import { completeWords } from '../complete-words.ts';

/** Each asks this program for the words: they know the names of the project folder, too. */
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
  summary: 'a completion script for a shell, on stdout',
  positionals: { shown: SHELLS.join('|'), most: Number.POSITIVE_INFINITY },
  flags: {},
  async run(invocation) {
    const [shell = '', ...words] = invocation.positionals;
    // What the scripts ask.
    if (shell === 'words') {
      await invocation.write((await completeWords(words, invocation)).map((one) => `${one}\n`).join(''));
      return 0;
    }
    const script = lookUp(SCRIPTS, shell);
    if (script === undefined || words.length > 0) {
      throw new CrawlhouseError(
        'usage',
        shell === '' ? 'no shell named' : `there is no script for ${[shell, ...words].join(' ')}`,
        {
          hint: `shells: ${SHELLS.join(', ')}; eval "$(crawlhouse completion bash)" in ~/.bashrc`,
        },
      );
    }
    await invocation.write(script);
    return 0;
  },
};
