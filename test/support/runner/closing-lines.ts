import type { Reporter, TestModule, Vitest } from 'vitest/node';
import { has15, onNewestOnly } from './servers.ts';

/**
 * Prints the last lines of a run: its PostgreSQL versions, and how many tests passed and failed. Fails the run if
 * PostgreSQL 15 is installed and was left out.
 */
export class ClosingLines implements Reporter {
  #chosenProjects = false;
  #lines: string[] = [];

  onInit(vitest: Vitest): void {
    this.#chosenProjects = vitest.config.project.length > 0;
    // At the exit of the process, when all other reporters are done.
    process.once('exit', () => {
      for (const line of this.#lines) console.log(line);
    });
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const passed = tests.filter((test) => test.result().state === 'passed').length;
    const failed = tests.filter((test) => test.result().state === 'failed').length;
    const broken = modules.filter((module) => module.errors().length > 0).length;
    const missed = this.#chosenProjects ? [] : missedOn15(modules);
    if (missed.length > 0) process.exitCode = 1;
    this.#lines = [
      `PostgreSQL ${versions(modules).join(', ') || 'was not needed'}`,
      ...missed.map((file) => `not run on PostgreSQL 15, although it is installed: ${file}`),
      `${passed} passed, ${failed + broken + unhandled.length + missed.length} failed`,
    ];
  }
}

function versions(modules: readonly TestModule[]): string[] {
  const met = modules.flatMap((module) => {
    const context: { postgres?: { version: string } } = module.project.getProvidedContext();
    return context.postgres === undefined ? [] : [context.postgres.version.replace(/ .*/, '')];
  });
  return [...new Set(met)];
}

/** Files that ran on 18, and that on 15 should have run and did not, or had every test skipped. */
function missedOn15(modules: readonly TestModule[]): string[] {
  if (!has15) return [];
  const ran = (project: string): Set<string> =>
    new Set(
      modules
        .filter((module) => module.project.name === project && module.state() !== 'skipped')
        .map((module) => module.relativeModuleId),
    );
  const on15 = ran('pg15');
  return [...ran('pg18').difference(on15)].filter((file) => !onNewestOnly.includes(file));
}
