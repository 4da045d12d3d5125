import '../device.css'
import { lazy } from 'react'
import { useNavigate } from 'react-router'
import { useCan } from '@/access/permissions'
import type { CallParts } from '@/api/call'
import { useApiMutation } from '@/api/query'
import { useLanguage } from '@/i18n/language'
import { useMessages } from '@/i18n/messages'
import { type Action, action, danger } from '@/kit/action'
import { choiceText } from '@/kit/choices'
import type { Selection } from '@/kit/list/selection'
import { operationPath } from '../links'
import { type Flat, nest } from '../nested'
import { operationKind } from './choices'
import { beginMessages } from './messages'
import { type Begin, begins } from './spec'

const Fields = lazy(() => import('./fields'))

/**
 * The actions that start an operation on a selection of cards, in menus. Each shows a pre-flight first. The record of
 * a single card is changed directly on its own page: for one card, those kinds are omitted.
 */
export function useOperationActs() {
  const m = useMessages(beginMessages)
  const language = useLanguage()
  const navigate = useNavigate()
  const can = useCan()
  const start = useStart()

  const actOf = (begin: Begin, selection: Selection): Action => {
    const make = begin.isDangerous ? danger : action
    // The menu says where a card would go.
    const label = begin.name === 'move' ? m.moveToFrame : choiceText(operationKind, begin.kind, language)
    return make<Flat | undefined>(label, {
      need: begin.need,
      group: begin.changesRecords ? m.recordsGroup : m.group,
      confirm: m[`${begin.name}Question`],
      done: m.started,
      ask: <Fields begin={begin} selection={selection} />,
      run: async (values) => {
        // The fields are those of the kind; what else the dialog asks, such as the room of a frame, is not sent.
        const { act, options } = nest<{ act?: object; options?: Body['options'] }>(values ?? {})
        const made = await start({ selection, act: { ...act, kind: begin.name }, options } as Body)
        if (can('operation:list')) await navigate(operationPath(made.id))
        return made
      },
    }) as Action
  }
  return (selection: Selection, of: 'one' | 'many' = 'many', only?: readonly Begin['name'][]): Action[] =>
    begins
      .filter(({ changesRecords }) => of === 'many' || !changesRecords)
      .filter(({ name }) => only?.includes(name) ?? true)
      .map((begin) => actOf(begin, selection))
}

/** Fetches the screen of one card, at once and without a question. */
export function useCardFetch() {
  const m = useMessages(beginMessages)
  const start = useStart()
  return (label: string, card: number) =>
    action(label, {
      need: 'device:files',
      done: m.started,
      run: () => start({ selection: { ids: [card] }, act: { kind: 'screenshot' } }),
    })
}

/** Moves files between one card and a person, at once. */
export function useCardTransfer(card: number) {
  const start = useStart()
  const selection = { ids: [card] }
  return {
    pull: (path: string) => start({ selection, act: { kind: 'pull', path } }),
    push: (fileId: number, path: string) => start({ selection, act: { kind: 'push', fileId, path } }),
  }
}

type Body = CallParts<'operationCreate'>['body']

/** Starts an operation. */
function useStart() {
  const { mutateAsync } = useApiMutation('operationCreate', { refresh: ['operationList', 'operationCardTasks'] })
  return (body: Body) => mutateAsync({ body })
}
