import { screen } from '@testing-library/react'
import { useState } from 'react'
import { expect, it, vi } from 'vitest'
import { show } from '@/testing/render'
import { ListProvider, TextFilter } from './filters'
import type { List } from './use-list'

/** A list whose address follows what is sent when it is told to. */
function Slow({ setFilter }: { setFilter: (filter: List['filter']) => void }) {
  const [filter, follow] = useState<List['filter']>({})
  const [next, setNext] = useState<List['filter'][]>([])
  const list = {
    filter,
    setFilter: (sent: List['filter']) => {
      setFilter(sent)
      setNext((all) => [...all, sent])
    },
  }
  const step = () => {
    follow(next[0] ?? {})
    setNext(next.slice(1))
  }
  return (
    <ListProvider value={list as unknown as List}>
      <TextFilter name="keyWord" />
      <button type="button" onClick={step}>
        follow
      </button>
      <button type="button" onClick={() => follow({ keyWord: 'of a link' })}>
        link
      </button>
    </ListProvider>
  )
}

it('keeps what is typed while the address has not followed yet', async () => {
  const setFilter = vi.fn()
  const { user } = show(<Slow setFilter={setFilter} />)
  const field = await screen.findByRole('searchbox', { name: 'keyWord' })
  await user.type(field, 'abc{Enter}')
  expect(setFilter.mock.calls).toEqual([[{ keyWord: 'abc' }]])
  await user.clear(field)
  await user.click(screen.getByRole('button', { name: 'follow' }))
  expect(field).toHaveValue('')
  await vi.waitFor(() => expect(setFilter.mock.calls.slice(1)).toEqual([[{ keyWord: undefined }]]))
  await user.click(screen.getByRole('button', { name: 'follow' }))
  expect(field).toHaveValue('')
  await user.click(screen.getByRole('button', { name: 'link' }))
  expect(field).toHaveValue('of a link')
})
