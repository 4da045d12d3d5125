import { lazy, Suspense, startTransition, useState } from 'react'
import type { RowOf } from '@/api/call'
import { useApiMutation } from '@/api/query'
import { sorts } from '@/api/words/ImageView'
import { useMessages } from '@/i18n/messages'
import { action } from '@/kit/action'
import { defineChoices } from '@/kit/choices'
import { columnsOf } from '@/kit/list/columns'
import { choiceParam, defineFilter, idParam, textParam } from '@/kit/list/filter'
import { ChoiceFilter, TextFilter } from '@/kit/list/filters'
import { ListPage } from '@/kit/list/list-page'
import { useList } from '@/kit/list/use-list'
import { ReferenceFilter } from '@/kit/reference/reference-filter'
import { TimeText } from '@/kit/time-text'
import { grouped } from '@/rules/format'
import { CardsLink } from '../../device/links'
import { images } from '../links'
import { messages } from './messages'

const Exclusions = lazy(() => import('./exclusions'))
const Pairs = lazy(() => import('./pairs'))
const Trials = lazy(() => import('./trials'))
const VersionField = lazy(() => import('./version-field'))

type Image = RowOf<'imageList'>

const adopted = defineChoices({
  yes: { value: true, label: ['已认定', 'Adopted'] },
  no: { value: false, label: ['未认定', 'Not adopted'] },
})

const filter = defineFilter(
  { keyWord: textParam(), imageId: idParam(), board: textParam(32), adopted: choiceParam(adopted) },
  sorts,
)

const c = columnsOf<Image>()

const columns = [
  c.code('fingerprint', { pin: 'start', lasting: true }),
  c.code('board', { importance: 2 }),
  c.code('version', { importance: 3 }),
  c.custom('cards', ({ id, cards }) => <CardsLink filter={{ imageId: id }}>{grouped(cards)}</CardsLink>, {
    align: 'end',
    importance: 3,
  }),
  c.custom('profile', ({ profile }) => <ProfileState of={profile} />, { importance: 2 }),
  c.time('adoptedAt', { importance: 1 }),
  c.text('adoptedBy', { importance: 1 }),
  c.time('foundAt'),
]

/** Whether it is known what a clean card of an image looks like, since when, and how much that proves. */
function ProfileState({ of }: { of: Image['profile'] }) {
  const m = useMessages(messages)
  if (!of) return <span className="sky-soft">{m.noProfile}</span>
  return (
    <>
      {of.triedAt ? <TimeText at={of.triedAt} /> : m.notTried}
      {!of.separates && <span className="sky-soft"> {m.notSeparated}</span>}
    </>
  )
}

/** What opens beside the list. */
const parts = ['exclusions', 'pairs', 'trials'] as const

interface PartOfImageProps {
  part: (typeof parts)[number]
  image: Image
  onClose: () => void
}

function PartOfImage({ part, image: { id, board, version, fingerprint }, onClose }: PartOfImageProps) {
  const of = { image: id, name: version || fingerprint, onClose }
  if (part === 'exclusions') return <Exclusions {...of} />
  return part === 'pairs' ? <Pairs {...of} board={board} /> : <Trials {...of} />
}

/** The images that cards run, and which version each of them is. */
export default function MachineSystemPage() {
  const m = useMessages(messages)
  const list = useList('imageList', filter)
  const adopt = useApiMutation('imageAdopt', { refresh: ['imageList', 'cardList'] })
  const tried = useApiMutation('profileTried', { refresh: ['imageList'] })
  const [opened, setOpened] = useState<Omit<PartOfImageProps, 'onClose'>>()

  const tryOut = (id: number) =>
    action(m.tried, {
      need: 'systemImage:profile',
      confirm: m.triedQuestion,
      run: () => tried.mutateAsync({ path: { id } }),
    })

  return (
    <ListPage
      messages={messages}
      list={list}
      columns={columns}
      exports={{ operation: 'imageExport', need: 'systemImage:export' }}
      nameOf={(row) => row.version || row.fingerprint}
      filters={
        <>
          <TextFilter name="keyWord" placeholder={m.search} />
          <TextFilter name="board" />
          <ChoiceFilter name="adopted" choices={adopted} />
          <ReferenceFilter name="imageId" source={images} />
        </>
      }
      start={{ to: '/device/address?tab=agents', label: m.toAgents, need: 'roomAgent:list' }}
      rowActions={(row) => [
        action<{ version: string }>(m.adopt, {
          need: 'systemImage:adopt',
          confirm: m.adoptQuestion,
          ask: <VersionField />,
          values: { version: row.version },
          run: (body) => adopt.mutateAsync({ path: { id: row.id }, body }),
        }),
        ...(row.profile && !row.profile.triedAt ? [tryOut(row.profile.id)] : []),
        ...parts.map((part) => action(m[part], { run: () => startTransition(() => setOpened({ part, image: row })) })),
      ]}
    >
      <Suspense>{opened && <PartOfImage {...opened} onClose={() => setOpened(undefined)} />}</Suspense>
    </ListPage>
  )
}
