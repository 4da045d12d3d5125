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
      <button type="button" onClick={() => setNext([])}>
        skip
      </button>
      <button type="button" onClick={() => follow({ keyWord: 'of a link' })}>
        link
      </button>
      <button type="button" onClick={() => follow({})}>
        clear
      </button>
    </ListProvider>
  )
}

it('keeps what is typed while the address has not followed yet', async () => {
  const setFilter = vi.fn()
  const { user } = show(<Slow setFilter={setFilter} />)
  const field = await screen.findByRole('searchbox', { name: 'keyWord' })
  await user.click(field)
  await user.paste('abc')
  await user.keyboard('{Enter}')
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

it('follows the address where it never went to what was sent first', async () => {
  const setFilter = vi.fn()
  const { user } = show(<Slow setFilter={setFilter} />)
  const field = await screen.findByRole('searchbox', { name: 'keyWord' })
  const send = async (text: string) => {
    await user.click(field)
    await user.clear(field)
    if (text) await user.paste(text)
    await user.keyboard('{Enter}')
  }
  await send('abc')
  await send('')
  // Both at once: the address is what it was.
  await user.click(screen.getByRole('button', { name: 'skip' }))
  await send('abc')
  await user.click(screen.getByRole('button', { name: 'follow' }))
  expect(field).toHaveValue('abc')
  await user.click(screen.getByRole('button', { name: 'clear' }))
  expect(field).toHaveValue('')
})
