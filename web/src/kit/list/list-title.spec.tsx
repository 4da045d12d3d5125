import { screen } from '@testing-library/react'
import { http } from 'msw'
import { afterEach, expect, it } from 'vitest'
import { currentRoutes } from '@/access/access'
import { screens, tree } from '@/access/fixtures'
import { setScreens } from '@/access/screens'
import { updateSession } from '@/access/session'
import type { RowOf } from '@/api/call'
import { defineMessages } from '@/i18n/messages'
import { fakeServer, good, show } from '@/testing/render'
import { columnsOf } from './columns'
import { defineFilter } from './filter'
import { ListPage } from './list-page'
import { useList } from './use-list'

const server = fakeServer()
const texts = {
  empty: ['还没有人', 'Nobody yet'],
  emptyHint: ['请新建', 'Create one'],
  fields: { name: ['姓名', 'Name'] },
} as const
const plain = defineMessages(texts)
const titled = defineMessages({ ...texts, title: ['名单', 'People'] })
const filter = defineFilter({})
const columns = [columnsOf<RowOf<'clientUserPage'>>().detail('name')]

function People({ messages }: { messages: typeof plain }) {
  return <ListPage messages={messages} list={useList('clientUserPage', filter)} columns={columns} />
}

afterEach(() => setScreens([]))

it.each([
  ['the screen, as the menu has it', plain, '记录'],
  ['itself, where it is a part of a screen', titled, '名单'],
])('is called like %s', async (_, messages, title) => {
  server.use(http.post('*/api/user/v5/user/getPageUserInfo', () => good({ list: [{ id: 1, name: '甲' }], total: 1 })))
  setScreens(screens)
  updateSession({ menuTree: tree, roles: ['admin'] })
  currentRoutes()
  show(<People messages={messages} />, { at: '/clientUser/records' })
  expect(await screen.findByRole('table', { name: title })).toBeInTheDocument()
  expect(screen.getAllByRole('region', { name: title })[0]).toHaveClass('kit-page')
})
