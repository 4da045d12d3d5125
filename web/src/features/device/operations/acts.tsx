import '../device.css'
import { lazy } from 'react'
import { useNavigate } from 'react-router'
import { useCan } from '@/access/permissions'
import type { CallParts, DataOf } from '@/api/call'
import { useApiMutation } from '@/api/query'
import { useMessages } from '@/i18n/messages'
import { type Action, action, danger } from '@/kit/action'
import type { Selection } from '@/kit/list/selection'
import { type Flat, nest } from '../nested'
import { beginMessages } from './messages'
import { type Begin, begins } from './spec'

const Fields = lazy(() => import('./fields'))

type Made = DataOf<'operationReboot'>
type Send = (values: object) => Promise<Made>

/**
 * The acts that begin an operation on a selection of cards, in menus. Each shows first what it would do. The books of
 * one card are changed at once, on its own page: for one, those are left out.
 */
export function useOperationActs() {
  const m = useMessages(beginMessages)
  const navigate = useNavigate()
  const can = useCan()
  const send = useSenders()

  const actOf = (begin: Begin, selection: Selection): Action => {
    const make = begin.isDangerous ? danger : action
    return make<Flat | undefined>(m[begin.name], {
      need: begin.need,
      group: begin.isBooks ? m.booksGroup : m.group,
      confirm: m[`${begin.name}Question`],
      ask: <Fields begin={begin} selection={selection} />,
      run: async (values) => {
        const made = await send[begin.name]({ ...nest<object>(values ?? {}), selection })
        if (can('operation:list')) await navigate(`/device/operations?detail=${made.id}`)
        return made
      },
    }) as Action
  }
  return (selection: Selection, of: 'one' | 'many' = 'many'): Action[] =>
    begins.filter(({ isBooks }) => of === 'many' || !isBooks).map((begin) => actOf(begin, selection))
}

/** Fetches the screen of one card, at once and without a question. */
export function useCardFetch() {
  const { screenshot } = useSenders()
  return (label: string, card: number) =>
    action(label, { need: 'device:files', run: () => screenshot({ selection: { ids: [card] } }) })
}

/** Moves files between one card and a person, at once. */
export function useCardTransfer(card: number) {
  const { pull, push } = useSenders()
  const selection = { ids: [card] }
  return {
    pull: (path: string) => pull({ selection, path }),
    push: (fileId: number, path: string) => push({ selection, fileId, path }),
  }
}

/** How each kind is sent. */
function useSenders(): Record<Begin['name'], Send> {
  const settings = { refresh: ['operationList', 'operationCardTasks'] } as const
  const reboot = useApiMutation('operationReboot', settings)
  const power = useApiMutation('operationPower', settings)
  const shell = useApiMutation('operationShell', settings)
  const fetch = useApiMutation('operationFetch', settings)
  const pull = useApiMutation('operationPull', settings)
  const speed = useApiMutation('operationSpeed', settings)
  const property = useApiMutation('operationProperty', settings)
  const uninstall = useApiMutation('operationUninstall', settings)
  const install = useApiMutation('operationInstall', settings)
  const push = useApiMutation('operationPush', settings)
  const reset = useApiMutation('operationReset', settings)
  const maintain = useApiMutation('operationMaintain', settings)
  const flags = useApiMutation('operationFlags', settings)
  const move = useApiMutation('operationMove', settings)
  type Body<K extends 'operationPower' | 'operationFetch' | 'operationReset' | 'operationMaintain'> =
    CallParts<K>['body']
  const powered =
    (order: Body<'operationPower'>['order']): Send =>
    (values) =>
      power.mutateAsync({ body: { ...values, order } as never })
  const fetched =
    (what: Body<'operationFetch'>['what']): Send =>
    (values) =>
      fetch.mutateAsync({ body: { ...values, what } as never })
  const cleaned =
    (what: Body<'operationReset'>['what']): Send =>
    (values) =>
      reset.mutateAsync({ body: { ...values, what } as never })
  const declared =
    (what: Body<'operationMaintain'>['what']): Send =>
    (values) =>
      maintain.mutateAsync({ body: { ...values, what } as never })
  const plain =
    (call: { mutateAsync: (parts: never) => Promise<Made> }): Send =>
    (values) =>
      call.mutateAsync({ body: values } as never)
  return {
    reboot: plain(reboot),
    shell: plain(shell),
    install: plain(install),
    push: plain(push),
    pull: plain(pull),
    uninstall: plain(uninstall),
    setProperty: plain(property),
    speedLimit: plain(speed),
    powerOn: powered('on'),
    powerOff: powered('off'),
    powerCycle: powered('cycle'),
    screenshot: fetched('screenshot'),
    pullLog: fetched('log'),
    wipe: cleaned('wipe'),
    factoryReset: cleaned('factoryReset'),
    drain: declared('drain'),
    maintain: declared('begin'),
    restore: declared('return'),
    setFlags: plain(flags),
    move: (values) => {
      const { roomId: _room, ...body } = values as Flat
      return move.mutateAsync({ body: body as never })
    },
  }
}
