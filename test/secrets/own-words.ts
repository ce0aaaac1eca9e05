import { onTestFinished, vi } from 'vitest';
import type { Traces } from './traces.ts';

/** Listens to everything that a process says by itself, until the end of the test. */
export function listen(traces: Traces): void {
  for (const level of ['log', 'info', 'warn', 'error', 'debug'] as const) {
    const note = (...said: unknown[]) => traces.add('console', said);
    const spy = vi.spyOn(console, level).mockImplementation(note);
    onTestFinished(() => spy.mockRestore());
  }
  const warned = (warning: Error) => traces.add('process warning', warning);
  process.on('warning', warned);
  onTestFinished(() => void process.off('warning', warned));
}
