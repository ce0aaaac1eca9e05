import { formatDuration } from '../duration.ts';
import { about, type Finding, type LintScope } from '../finding.ts';

const DAY_MS = 86_400_000;
/** A rolling window in fewer slots than this forgets in large steps. */
const FEW_SLOTS = 4;

/** Windows that are mistaken for others, or that are coarser than one would think. */
export function* lintWindows({ budgets }: LintScope): Generator<Finding> {
  for (const linted of budgets) {
    const { window } = linted.rule;
    if (window.kind === 'calendar') {
      const { spec } = window;
      if (spec.timeZone !== undefined) continue;
      yield about(linted, 'window', {
        code: 'no-time-zone',
        severity: 'info',
        message: `its ${spec.calendar} begins at midnight in UTC`,
        advice: 'Write the zone: `timeZone: America/New_York`, or `timeZone: UTC` if that is meant',
      });
    }
    if (window.kind === 'fixed' && window.lengthMs >= DAY_MS) {
      yield about(linted, 'window.fixed', {
        code: 'fixed-not-calendar',
        severity: 'info',
        message: `${formatDuration(window.lengthMs)} are counted from the first of January 1970, 00:00 UTC`,
        advice: 'Write `{ calendar: day }`, week or month, or `{ rolling: … }`, if that is meant',
      });
    }
    if (window.kind === 'rolling' && window.resolutionMs * FEW_SLOTS > window.lengthMs) {
      const [length, slot] = [formatDuration(window.lengthMs), formatDuration(window.resolutionMs)];
      yield about(linted, 'window.resolution', {
        code: 'coarse-resolution',
        severity: 'warning',
        message: `what is spent counts for up to ${slot} longer than ${length}, since it leaves in slots of ${slot}`,
        advice: 'Leave `resolution` out, or write a smaller one',
      });
    }
  }
}
