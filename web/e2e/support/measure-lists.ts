import type { Locator } from '@playwright/test'

/** What the tables of a part of the page do against the rules of lists, as somebody would see it. */
export const faultsOfLists = (shown: Locator): Promise<string[]> => shown.locator('.sky-table').evaluateAll(look)

/**
 * Runs in the browser, so everything it needs is inside. It judges what is painted and not what a column says it is: a
 * new list is judged the day it appears. What it scrolls and shrinks stands as it stood before the next frame.
 */
function look(tables: Element[]): string[] {
  /** A number as the kit writes it; ports, phone numbers and ids have no commas and are codes. */
  const number = /^-?¥?\d{1,3}(,\d{3})*(\.\d+)?( [KMGTPE]?B)?$/
  /** Addresses, with port or net, and what machines count in: letters that must not be confused. */
  const code = /^(\d{1,3}(\.\d{1,3}){3}([:/]\d+)?|[\da-f]{2}(:[\da-f]{2}){5}|(?=\d*[a-f])(?=[a-f]*\d)[\da-f]{8,})$/i
  const faults: string[] = []
  const off = (one: number, other: number) => Math.abs(one - other) > 1.5

  function stretchOf(cell: Element): DOMRect {
    const range = document.createRange()
    range.selectNodeContents(cell)
    return range.getBoundingClientRect()
  }

  function standsAtEnd(cell: Element): boolean {
    const room = cell.getBoundingClientRect().right - Number.parseFloat(getComputedStyle(cell).paddingRight)
    return !off(stretchOf(cell).right, room)
  }

  function isMonospaced(cell: Element): boolean {
    const words = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT)
    while (words.nextNode()) {
      const { textContent, parentElement } = words.currentNode
      if (textContent?.trim() && parentElement && !/monospace/.test(getComputedStyle(parentElement).fontFamily))
        return false
    }
    return true
  }

  /** Whether a link leads to the detail of its own row, beside the list or as a page below it. */
  function leadsTo(row: string, link: HTMLAnchorElement): boolean {
    const { pathname, searchParams } = new URL(link.href)
    const isHere = pathname === location.pathname && searchParams.get('detail') === row
    return isHere || pathname === `${location.pathname}/${row}`
  }

  for (const table of tables) {
    const scroller = table.querySelector<HTMLElement>('.sky-table-scroll')
    const head = table.querySelector('thead')
    const headings = [...(head?.rows[0]?.cells ?? [])]
    const rows = [...table.querySelectorAll<HTMLTableRowElement>('tbody tr[data-row]')]
    if (!scroller || !head || rows.length === 0 || !table.checkVisibility()) continue
    const found = (what: string) => faults.push(`${table.getAttribute('aria-label')}: ${what}`)

    for (const [at, heading] of headings.entries()) {
      if (heading.matches('.sky-box')) continue
      const cells = rows
        .flatMap(({ cells }) => cells[at] ?? [])
        .filter(({ innerText }) => !/^[—-]?$/.test(innerText.trim()))
      const areAll = (kind: RegExp) => cells.length > 1 && cells.every(({ innerText }) => kind.test(innerText.trim()))
      const told = `${heading.title} (${cells[0]?.innerText.trim()})`
      const areMonospaced = cells.every(isMonospaced)
      if (areAll(number) && !areMonospaced && !cells.every(standsAtEnd)) found(`numbers do not stand right: ${told}`)
      if (areAll(code) && !areMonospaced) found(`codes are not monospaced: ${told}`)
    }

    // Where one row of a page leads to its detail, each does, and by its first column.
    const ways = rows
      .map((row) => [...row.cells].filter((cell) => !cell.matches('.sky-box')))
      .map((cells, at) => {
        const row = rows[at]?.dataset.row ?? ''
        return cells.map((cell) => [...cell.querySelectorAll('a')].some((link) => leadsTo(row, link)))
      })
    if (table.closest('.kit-page') && ways.some((cells) => cells.includes(true)) && !ways.every(([first]) => first))
      found('the first column does not lead to the detail')

    const { scrollTop, scrollLeft } = scroller
    const { maxHeight } = scroller.style
    // Too low for its rows, whatever fits the window.
    scroller.style.maxHeight = '60px'
    scroller.scrollTop = scroller.scrollHeight
    const { top } = scroller.getBoundingClientRect()
    if (scroller.scrollTop === 0) found('rows do not scroll below their headings')
    for (const heading of headings) {
      const box = heading.getBoundingClientRect()
      const front = document
        .elementsFromPoint(box.left + box.width / 2, box.top + box.height / 2)
        .find((one) => scroller.contains(one) && one !== scroller)
      const isCovered = front !== undefined && !head.contains(front)
      if (off(box.top, top) || isCovered) found(`a heading does not stay in view: ${heading.title}`)
    }
    scroller.style.maxHeight = maxHeight
    scroller.scrollTop = scrollTop

    if (scroller.scrollWidth > scroller.clientWidth + 1) {
      scroller.scrollLeft = scroller.scrollWidth
      const box = scroller.getBoundingClientRect()
      const [first] = headings.filter((heading) => heading.matches('.sky-pin-start:not(.sky-box)'))
      const acts = headings.find((heading) => heading.matches('.sky-pin-end'))
      const last = headings.findLast((heading) => !heading.matches('.sky-pin'))
      const end = acts?.getBoundingClientRect().left ?? box.right
      if (last && last.getBoundingClientRect().right > end + 1.5) found(`the last column is cut: ${last.title}`)
      if (first && first.getBoundingClientRect().left < box.left - 1.5) found(`the first column goes: ${first.title}`)
      scroller.scrollLeft = scrollLeft
    }
  }
  return faults
}
