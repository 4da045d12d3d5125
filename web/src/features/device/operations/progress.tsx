import type { RowOf } from '@/api/call'
import { grouped } from '@/rules/format'

type Counts = Pick<RowOf<'operationList'>, 'total' | 'pending' | 'running' | 'succeeded' | 'failed'>

const share = (part: number, whole: number) => `${whole === 0 ? 0 : (part / whole) * 100}%`

/** How far an operation is: what was done, what failed, what is under way, as a bar and in numbers. */
export function OperationProgress({ of, name }: { of: Counts; name: string }) {
  const { total, pending, running, succeeded, failed } = of
  const ended = total - pending - running
  const other = ended - succeeded - failed
  return (
    <span className="operation-progress">
      <span
        className="operation-bar"
        role="progressbar"
        aria-label={name}
        aria-valuemin={0}
        aria-valuemax={total}
        aria-valuenow={ended}
      >
        <span className="operation-good" style={{ width: share(succeeded, total) }} />
        <span className="operation-bad" style={{ width: share(failed, total) }} />
        <span className="operation-other" style={{ width: share(other, total) }} />
        <span className="operation-busy" style={{ width: share(running, total) }} />
      </span>
      {grouped(ended)} / {grouped(total)}
    </span>
  )
}
