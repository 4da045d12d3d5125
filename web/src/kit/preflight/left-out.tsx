import '../kit.css'
import type { DataOf } from '@/api/call'
import { ChoiceLabel } from '@/kit/choices'
import { grouped } from '@/rules/format'
import { taskStep } from './task-step'

/** Why some are left out, or did not succeed, and how many. */
export function LeftOut({ groups }: { groups: DataOf<'operationPreview'>['leftOut'] }) {
  if (groups.length === 0) return null
  return (
    <ul className="kit-reasons">
      {groups.map(({ state, code, words, count }) => (
        <li key={`${state} ${code}`}>
          <div className="kit-why">
            <ChoiceLabel choices={taskStep} value={state} />
            {words}
            <strong>{grouped(count)}</strong>
          </div>
        </li>
      ))}
    </ul>
  )
}
