import { useOptions } from '@/kit/choices'
import { grouped } from '@/rules/format'
import { StateChip } from '@/ui/state-chip'
import { runStatus } from '../choices'
import { lookOf } from './paint'

interface LegendProps {
  count: (status: number) => number
  /** The status that is shown alone. */
  only: number | undefined
  onChoose: (status: number) => void
}

/** Which statuses there are, how many of each; a press shows one of them alone, and the numbers stay. */
export function Legend({ count, only, onChoose }: LegendProps) {
  return (
    <div className="panel-legend">
      {useOptions(runStatus).map(({ value, label }) => (
        <button
          key={value}
          type="button"
          className="panel-chip"
          aria-pressed={only === value}
          onClick={() => onChoose(Number(value))}
        >
          <StateChip state={lookOf(Number(value))} />
          {label} <strong>{grouped(count(Number(value)))}</strong>
        </button>
      ))}
    </div>
  )
}
