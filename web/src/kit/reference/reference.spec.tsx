import { fireEvent, screen, waitFor } from '@testing-library/react'
import { http } from 'msw'
import { beforeEach, expect, it, vi } from 'vitest'
import { defineMessages } from '@/i18n/messages'
import { fakeServer, good, refused, show } from '@/testing/render'
import { FormDrawer } from '../form/form-drawer'
import { useForm } from '../form/use-form'
import { columnsOf } from '../list/columns'
import { defineFilter, idParam } from '../list/filter'
import { ListPage } from '../list/list-page'
import { useList } from '../list/use-list'
import { ReferenceField, ReferencesField } from './reference-field'
import { ReferenceFilter } from './reference-filter'
import { firstOfList, listSource } from './source'

const server = fakeServer()
const rooms = listSource('roomList', {
  name: (room) => room.name,
  need: 'room:list',
  find: (id) => firstOfList('roomList', { roomId: id }),
})
const messages = defineMessages({
  title: ['机柜', 'Frames'],
  empty: ['空', 'None'],
  emptyHint: ['空', 'None'],
  fields: { roomId: ['机房', 'Room'], frameId: ['机柜', 'Frame'], rooms: ['机房们', 'Rooms'] },
})
const all = Array.from({ length: 45 }, (_, at) => ({ id: at + 1, name: `机房 ${String(at + 1).padStart(2, '0')}` }))

/** Answers the list of rooms as the server does, and remembers what was asked. */
function answer(there = all) {
  const asked: Record<string, string>[] = []
  server.use(
    http.get('*/api/fleet/v1/rooms', ({ request }) => {
      const question = Object.fromEntries(new URL(request.url).searchParams)
      asked.push(question)
      const { keyWord = '', roomId, pageNum, pageSize } = question
      const found = there.filter(({ id, name }) => name.includes(keyWord) && (!roomId || String(id) === roomId))
      const from = (Number(pageNum) - 1) * Number(pageSize)
      return good({ list: found.slice(from, from + Number(pageSize)), total: found.length })
    }),
  )
  return asked
}

const save = vi.fn()
beforeEach(() => save.mockReset().mockResolvedValue({}))

function FrameForm(props: { roomId?: number; waits?: boolean }) {
  const form = useForm<Record<string, unknown>>({ defaultValues: { roomId: props.roomId, frameId: 7 } })
  return (
    <FormDrawer form={form} save={save} title="x" messages={messages} onClose={() => undefined}>
      <ReferenceField name="roomId" source={rooms} clears={['frameId']} />
      <ReferenceField
        name="frameId"
        source={rooms}
        known={[{ id: 7, name: '机房 07' }]}
        {...(props.waits && { waits: true })}
      />
    </FormDrawer>
  )
}

const field = (name = '机房') => screen.findByRole('combobox', { name })
const option = (name: string) => screen.findByTitle(name)

it('asks nothing before it is opened, and then a small page', async () => {
  const asked = answer()
  const { user } = show(<FrameForm />)
  const input = await field()
  expect(asked).toEqual([])
  await user.click(input)
  expect(await option('机房 01')).toBeInTheDocument()
  expect(asked).toEqual([{ pageNum: '1', pageSize: '20' }])
  expect(screen.getByText('已显示 20 条，共 45 条')).toBeInTheDocument()
})

it('loads the next page when it is scrolled to the end, until all are there', async () => {
  const asked = answer()
  const { user } = show(<FrameForm />)
  await user.click(await field())
  await option('机房 01')
  const holder = document.querySelector('.ant-select-dropdown [class*=holder]') as HTMLElement
  fireEvent.scroll(holder)
  expect(await screen.findByText('已显示 40 条，共 45 条')).toBeInTheDocument()
  fireEvent.scroll(holder)
  await waitFor(() => expect(screen.queryByText(/^已显示/)).toBeNull())
  fireEvent.scroll(holder)
  expect(asked.map(({ pageNum }) => pageNum)).toEqual(['1', '2', '3'])
})

it('searches at the server when typing rests, once', async () => {
  const asked = answer()
  const { user } = show(<FrameForm />)
  await user.click(await field())
  await option('机房 01')
  await user.type(await field(), '33')
  expect(await option('机房 33')).toBeInTheDocument()
  expect(asked.slice(1)).toEqual([{ keyWord: '33', pageNum: '1', pageSize: '20' }])
  await user.type(await field(), 'x')
  expect(await screen.findByText('没有名称含“33x”的记录')).toBeInTheDocument()
})

it('keeps the name of what was chosen, sends its id, and empties what belongs to it', async () => {
  const asked = answer()
  const { user } = show(<FrameForm />)
  expect(await screen.findByText('机房 07')).toBeVisible()
  await user.type(await field(), '33')
  await user.click(await option('机房 33'))
  await waitFor(() => expect(screen.queryByText('机房 07')).toBeNull())
  await user.type(await field(), '44')
  await option('机房 44')
  await user.keyboard('{Escape}')
  expect(screen.getAllByText('机房 33').length).toBeGreaterThan(0)
  await user.click(screen.getByRole('button', { name: /保存/ }))
  await waitFor(() => expect(save).toHaveBeenCalledWith({ roomId: 33 }))
  expect(asked.some(({ roomId }) => roomId)).toBe(false)
})

it('asks for the name of an id that came alone, and says when it is gone', async () => {
  const asked = answer()
  show(<FrameForm roomId={41} />)
  expect(await screen.findByTitle('机房 41')).toBeVisible()
  expect(asked).toEqual([{ roomId: '41', pageNum: '1', pageSize: '1' }])
})

it('says that what is chosen was deleted', async () => {
  answer([])
  show(<FrameForm roomId={41} />)
  expect(await screen.findByTitle('已删除（#41）')).toBeVisible()
})

it('says why there are no choices, and tries again', async () => {
  server.use(http.get('*/api/fleet/v1/rooms', () => refused(500, 5000, '出错了，编号 42'), { once: true }))
  const { user } = show(<FrameForm />)
  await user.click(await field())
  expect(await screen.findByText(/出错了，编号 42/)).toBeInTheDocument()
  answer()
  await user.click(screen.getByRole('button', { name: '重试' }))
  expect(await option('机房 01')).toBeInTheDocument()
})

it('cannot be opened without the right, nor before what it belongs to is chosen', async () => {
  show(<FrameForm waits />, { rights: ['x:y'] })
  expect(await field()).toBeDisabled()
  expect(await field('机柜')).toBeDisabled()
})

it('takes several', async () => {
  answer()
  function Several() {
    const form = useForm<Record<string, unknown>>({ defaultValues: {} })
    return (
      <FormDrawer form={form} save={save} title="x" messages={messages} onClose={() => undefined}>
        <ReferencesField name="rooms" source={rooms} />
      </FormDrawer>
    )
  }
  const { user } = show(<Several />)
  await user.click(await field('机房们'))
  await user.click(await option('机房 02'))
  await user.click(await option('机房 04'))
  await user.click(screen.getByRole('button', { name: /保存/ }))
  await waitFor(() => expect(save).toHaveBeenCalledWith({ rooms: [2, 4] }))
})

const filter = defineFilter({ roomId: idParam(), frameId: idParam() })
const c = columnsOf<{ id: number; room: unknown }>()
const columns = [c.reference('room', (id) => `/rooms/${id}`)]

function Frames() {
  const list = useList('frameList', filter)
  return (
    <ListPage
      messages={messages}
      list={list as never}
      columns={columns as never}
      filters={<ReferenceFilter name="roomId" source={rooms} clears={['frameId']} />}
    />
  )
}

it('filters a list by what the address says, with its name', async () => {
  answer()
  server.use(
    http.get('*/api/fleet/v1/frames', () =>
      good({
        list: [
          { id: 1, room: { id: 5, name: '机房 05' } },
          { id: 2, room: { id: 9, name: null } },
          { id: 3, room: null },
        ],
        total: 3,
      }),
    ),
  )
  const { user, router } = show(<Frames />, { at: '/?roomId=45&frameId=3' })
  expect(await screen.findByText('机房 45')).toBeVisible()
  expect(await screen.findByRole('link', { name: '机房 05' })).toHaveAttribute('href', '/rooms/5')
  expect(screen.getByText('已删除（#9）')).toBeVisible()
  expect(screen.getByText('—')).toBeVisible()
  await user.type(await field(), '12')
  await user.click(await option('机房 12'))
  await waitFor(() => expect(router.state.location.search).toBe('?roomId=12'))
})
