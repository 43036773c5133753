interface ChangedCases {
  /** Whose cases they are: `mart.pages`, `thin`. */
  readonly of: readonly string[];
  /** The arguments of Vitest that run them. */
  readonly arguments: readonly string[];
}

const NO_MODELS = ['filters', 'issues', 'questions', 'seeds'];

/** The cases of the models and of the issues whose SQL or cases changed. */
export function changedCases(files: readonly string[]): ChangedCases[] {
  const issues = files.flatMap((file) => /^sql\/issues\/(\w+)\.sql$/.exec(file)?.[1] ?? []);
  const models = files.flatMap((file) => {
    const [, folder = '', name] =
      /^sql\/(\w+)\/(\w+)\.sql$/.exec(file) ?? /^test\/(golden)\/mart\.(\w+)\.yaml$/.exec(file) ?? [];
    return name === undefined || NO_MODELS.includes(folder) ? [] : [`mart.${name}`];
  });
  // `npm test` has a sample of the cases of models.
  const golden = ['--config', 'vitest.long.config.ts', 'test/etl/pipeline/transform/golden.test.ts'];
  return [
    casesOf(models, ' ', golden),
    casesOf(issues, ':', ['test/etl/project/sql/models/load-issues.test.ts']),
  ].filter(({ of }) => of.length > 0);
}

function casesOf(names: readonly string[], end: string, vitest: readonly string[]): ChangedCases {
  const of = [...new Set(names)].sort();
  const pattern = of.map((name) => `(?<!\\w)${name.replace('.', '\\.')}${end}`).join('|');
  return { of, arguments: [...vitest, '--testNamePattern', pattern] };
}
