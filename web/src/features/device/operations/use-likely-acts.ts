import { useLanguage } from '@/i18n/language'
import type { Action } from '@/kit/action'
import { choiceText } from '@/kit/choices'
import type { Selection } from '@/kit/list/selection'
import { useOperationActs } from './acts'
import { operationKind } from './choices'

const { reboot, powerCycle, maintain } = operationKind.value

/** The operations on a selection of cards: what people begin most stands first and alone, the rest is in menus. */
export function useLikelyActs(): (selection: Selection, of?: 'one' | 'many') => Action[] {
  const language = useLanguage()
  const operate = useOperationActs()
  const likely = [reboot, powerCycle, maintain].map((kind) => choiceText(operationKind, kind, language))
  return (selection, of) => {
    const acts = operate(selection, of)
    return [
      ...likely.flatMap((label) => acts.filter((act) => act.label === label).map(withoutGroup)),
      ...acts.filter(({ label }) => !likely.includes(label)),
    ]
  }
}

/** An act that stands alone instead of in a menu. */
function withoutGroup({ group: _, ...act }: Action): Action {
  return act
}
