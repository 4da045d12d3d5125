import { useState } from 'react'
import type { DataOf } from '@/api/call'
import { useApiQuery } from '@/api/query'
import { useMessages } from '@/i18n/messages'
import { Loaded } from '@/kit/loaded'
import { Pagination } from '@/ui/pagination'
import { Placeholder } from '@/ui/placeholder'
import { CardLink } from '../links'
import { taskStep } from './choices'
import { messages } from './messages'
import { CardPicture } from './picture'

const perPage = 60

/** The screenshots of many cards side by side, as they come in. */
export function ScreenWall({ operation }: { operation: number }) {
  const m = useMessages(messages)
  const [page, setPage] = useState(1)
  const query = useApiQuery(
    'operationTasks',
    { path: { id: operation }, query: { state: taskStep.value.succeeded, pageNum: page, pageSize: perPage } },
    { keepPrevious: true },
  )
  return (
    <Loaded query={query}>
      {({ list, total }) => (
        <>
          {total === 0 && <Placeholder title={m.noPictures} hint={m.noPicturesHint} />}
          <Wall tasks={list} />
          {total > perPage && (
            <Pagination current={page} pageSize={perPage} total={total} showSizeChanger={false} onChange={setPage} />
          )}
        </>
      )}
    </Loaded>
  )
}

function Wall({ tasks }: { tasks: DataOf<'operationTasks'>['list'] }) {
  return (
    <ul className="operation-wall">
      {tasks
        .filter(({ hasFile }) => hasFile)
        .map(({ id, attempt, target: card }) => (
          <li key={`${id}.${attempt}`}>
            <CardPicture task={id} name={card.name ?? ''} />
            <CardLink id={card.id} name={card.name ?? String(card.id)} />
          </li>
        ))}
    </ul>
  )
}
