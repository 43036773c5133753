import { basename } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Lets the files of these names begin in this order, so that none that takes long is left alone at the end. */
export function longestFirst(...names: readonly string[]): typeof BaseSequencer {
  return class extends BaseSequencer {
    override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
      const place = ({ moduleId }: TestSpecification): number => {
        const index = names.indexOf(basename(moduleId).replace(/(\.long)?\.test\.ts$/, ''));
        return index < 0 ? names.length : index;
      };
      return (await super.sort(files)).toSorted((a, b) => place(a) - place(b));
    }
  };
}
