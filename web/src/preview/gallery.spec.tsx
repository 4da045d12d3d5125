import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act, render, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { createMemoryRouter, RouterProvider } from 'react-router'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { updateSession } from '@/access/session'
import { type Language, setLanguage } from '@/i18n/language'
import { inLanguage } from '@/i18n/messages'
import '@/testing/render'
import { UiProvider } from '@/ui/provider'
import { exhibitKeys } from './exhibits'
import { Exhibit } from './gallery'
import { messages } from './messages'

// A canvas draws nothing here.
vi.mock('@/kit/chart/canvas', () => ({ Canvas: () => null }))
// jsdom has no layout, and the editor asks where its cursor is.
Range.prototype.getClientRects = () => [] as unknown as DOMRectList
Range.prototype.getBoundingClientRect = () => new DOMRect()
document.elementFromPoint = () => null
// Nor has it addresses of blobs.
Object.assign(URL, { createObjectURL: () => 'blob:gallery', revokeObjectURL: () => undefined })

/** What jsdom says of itself, and not the page: it knows no `<search>`, no styles of pseudo-elements and no layout. */
const ofTheTest =
  /Not implemented|`NaN` is an invalid value for the .* height|The tag <(?:search|%s)> is unrecognized|not wrapped in act/

let said: string[]
beforeEach(() => {
  said = []
  const listen = (...words: unknown[]) => void said.push(words.map(String).join(' '))
  for (const level of ['error', 'warn'] as const) vi.spyOn(console, level).mockImplementation(listen)
})
afterEach(() => act(() => setLanguage('zh')))

function open(element: React.ReactNode, language: Language) {
  updateSession({ uid: 'gallery', token: 'token', roles: ['admin'] })
  act(() => setLanguage(language))
  const router = createMemoryRouter([{ path: '*', element }])
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  render(
    <QueryClientProvider client={client}>
      <UiProvider language={language}>
        <RouterProvider router={router} />
      </UiProvider>
    </QueryClientProvider>,
  )
  return userEvent.setup({ pointerEventsCheck: 0 })
}

const spoken = ['aria-label', 'aria-description', 'title', 'placeholder', 'alt']

/** Every text that a person reads or hears. */
function texts(): string[] {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  const found: string[] = []
  while (walker.nextNode()) {
    if (!walker.currentNode.parentElement?.closest('style, script')) found.push(walker.currentNode.textContent ?? '')
  }
  for (const element of document.querySelectorAll('*')) {
    // The icons of the library are named in English, and hidden.
    if (element.closest('.anticon')) continue
    for (const name of spoken) found.push(element.getAttribute(name) ?? '')
  }
  return found.map((text) => text.trim()).filter(Boolean)
}

/** What looks like a name out of the code: `roomId`, `fields.name`, a value that is none. */
const isKey = (text: string) =>
  /^[a-z]+(?:[A-Z][a-z]*)+$|^[a-z]+(?:\.[a-z]\w*)+$|\[object |\bundefined\b|\bNaN\b/.test(text)
const han = /\p{Script=Han}/u

const settled = () => waitFor(() => expect(document.querySelector('.preview-part')).not.toBeNull())

describe.each(['zh', 'en'] as const)('the gallery in %s', (language) => {
  it.each(exhibitKeys)('shows %s without a word to the console and without a raw key', async (key) => {
    open(<Exhibit of={key} />, language)
    await settled()
    // Not by its role: to find that among so many elements costs jsdom half a minute.
    expect(document.getElementById(key)).toHaveAttribute('aria-label', inLanguage(messages.tree.parts[key], language))
    // What is loaded apart has arrived: editors, cleaned texts, names of references.
    if (key === 'files') await waitFor(() => expect(document.querySelectorAll('.sky-editor-bar')).toHaveLength(4))
    if (key === 'cells') await waitFor(() => expect(document.querySelector('.sky-rich-text h2')).not.toBeNull())
    expect(texts().filter(isKey)).toEqual([])
    if (language === 'en') expect(texts().filter((text) => han.test(text) && text !== '中文')).toEqual([])
    expect(said.filter((words) => !ofTheTest.test(words))).toEqual([])
  })

  it.each([0, 1, 2, 3, 4])('opens drawer or dialog %i', async (at) => {
    const user = open(<Exhibit of="shells" />, language)
    await settled()
    await user.click(document.querySelectorAll('#shells button')[at] as Element)
    await waitFor(() => expect(document.querySelector('[role=dialog] input')).not.toBeNull())
    expect(texts().filter(isKey)).toEqual([])
    if (language === 'en') expect(texts().filter((text) => han.test(text))).toEqual([])
    expect(said.filter((words) => !ofTheTest.test(words))).toEqual([])
  })

  it('opens the detail of a row', async () => {
    const user = open(<Exhibit of="pages" />, language)
    await settled()
    await user.click(document.querySelector('#pages tr[data-row] a') as Element)
    await waitFor(() => expect(document.querySelector('[role=dialog] [role=tab]')).not.toBeNull())
    expect(texts().filter(isKey)).toEqual([])
    if (language === 'en') expect(texts().filter((text) => han.test(text) && text !== '中文')).toEqual([])
    expect(said.filter((words) => !ofTheTest.test(words))).toEqual([])
  })
})
