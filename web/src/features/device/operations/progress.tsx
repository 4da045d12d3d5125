import type { RowOf } from '@/api/call'
import { grouped } from '@/rules/format'

type Counts = Pick<RowOf<'operationList'>, 'total' | 'pending' | 'running' | 'succeeded' | 'failed'>

const share = (part: number, whole: number) => `${whole === 0 ? 0 : (part / whole) * 100}%`

/** The bar of an operation: done, failed, not done for other reasons, running. */
export function OperationBar({ of, name, isWide = false }: { of: Counts; name: string; isWide?: boolean }) {
  const { total, pending, running, succeeded, failed } = of
  const ended = total - pending - running
  return (
    <span
      className={isWide ? 'operation-bar operation-bar-wide' : 'operation-bar'}
      role="progressbar"
      aria-label={name}
      aria-valuemin={0}
      aria-valuemax={total}
      aria-valuenow={ended}
    >
      <span className="operation-good" style={{ width: share(succeeded, total) }} />
      <span className="operation-bad" style={{ width: share(failed, total) }} />
      <span className="operation-other" style={{ width: share(ended - succeeded - failed, total) }} />
      <span className="operation-busy" style={{ width: share(running, total) }} />
    </span>
  )
}

/** The progress of an operation, as a bar and in numbers. */
export function OperationProgress({ of, name }: { of: Counts; name: string }) {
  const { total, pending, running } = of
  return (
    <span className="operation-progress">
      <OperationBar of={of} name={name} />
      {grouped(total - pending - running)} / {grouped(total)}
    </span>
  )
}
