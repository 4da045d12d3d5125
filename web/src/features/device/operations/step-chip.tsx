import '@/ui/states.css'
import { taskStep } from './choices'

const { pending, running, succeeded, failed } = taskStep.value
const looks: ReadonlyMap<number, readonly [sign: string, look: string]> = new Map([
  [pending, ['·', 'pending']],
  [running, ['▸', 'running']],
  [succeeded, ['✓', 'succeeded']],
  [failed, ['×', 'failed']],
])

/** The sign of a task's state in its colour. The word stands elsewhere. */
export function StepChip({ step }: { step: number }) {
  const [sign, look] = looks.get(step) ?? ['»', 'other']
  return (
    <span className="sky-state-chip operation-step" data-step={look} aria-hidden>
      {sign}
    </span>
  )
}
