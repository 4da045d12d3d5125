import type { Page } from '@playwright/test'

/** What a person would see cut or hardly read on the page as it stands; each with the text it hits. */
export interface Measured {
  /** Parts that would have to be scrolled sideways. */
  wide: string[]
  /** Texts of which a part is not to be seen, and nothing says the rest. */
  cut: string[]
  /** Texts below 4.5:1 on what is behind them. */
  pale: string[]
}

/** Measures the page when nothing on it moves or changes its colour any more; what turns for ever is not waited for. */
export async function measure(page: Page): Promise<Measured> {
  await page.waitForFunction(() =>
    document.getAnimations().every((one) => one.effect?.getComputedTiming().endTime === Number.POSITIVE_INFINITY),
  )
  return page.evaluate(look)
}

/** Runs in the browser, so everything it needs is inside. */
function look(): Measured {
  const pen = document.createElement('canvas').getContext('2d', { willReadFrequently: true })
  const known = new Map<string, number[]>()
  const name = (element: Element) => {
    const classes = [element, element.parentElement].map((one) => one?.getAttribute('class')?.split(' ')[0] ?? '')
    return `${element.tagName.toLowerCase()}.${classes[0]} in .${classes[1]}`
  }

  /** Red, green, blue and alpha of a colour, however it is written. */
  function parts(colour: string): number[] {
    const seen = known.get(colour)
    if (seen || !pen) return seen ?? []
    pen.clearRect(0, 0, 1, 1)
    pen.fillStyle = colour
    pen.fillRect(0, 0, 1, 1)
    const [red = 0, green = 0, blue = 0, alpha = 0] = pen.getImageData(0, 0, 1, 1).data
    known.set(colour, [red, green, blue, alpha / 255])
    return known.get(colour) ?? []
  }

  const over = (front: number[], back: number[]) =>
    [0, 1, 2].map((at) => (front[at] ?? 0) * (front[3] ?? 1) + (back[at] ?? 0) * (1 - (front[3] ?? 1)))

  /** What an element adds to what its parent has: texts share their ancestors, so each is asked once. */
  interface Look {
    /** What is behind its texts; nothing where a picture is, which has no one colour. */
    back: number[] | undefined
    opacity: number
    ink: string
    shutsX: boolean
    shutsY: boolean
    scrolls: boolean
    isFixed: boolean
    hasDots: boolean
    box: () => DOMRect
  }
  const looks = new Map<Element | null, Look>()
  const shuts = (overflow: string) => overflow === 'hidden' || overflow === 'clip'
  const rolls = (overflow: string) => overflow === 'auto' || overflow === 'scroll'

  function lookOf(element: Element): Look {
    const seen = looks.get(element)
    if (seen) return seen
    const parent = element.parentElement && lookOf(element.parentElement)
    const style = getComputedStyle(element)
    const layer = parts(style.backgroundColor)
    const under = parent ? parent.back : [255, 255, 255]
    const plain = (layer[3] ?? 0) === 0 ? under : under && over(layer, under)
    let rect: DOMRect | undefined
    const look = {
      back: style.backgroundImage !== 'none' ? undefined : layer[3] === 1 ? layer : plain,
      opacity: Number(style.opacity) * (parent?.opacity ?? 1),
      ink: element.closest('svg') ? style.fill : style.color,
      shutsX: shuts(style.overflowX),
      shutsY: shuts(style.overflowY),
      scrolls: rolls(style.overflowX) || rolls(style.overflowY),
      isFixed: style.position === 'fixed',
      hasDots: style.textOverflow === 'ellipsis',
      box() {
        rect ??= element.getBoundingClientRect()
        return rect
      },
    }
    looks.set(element, look)
    return look
  }

  /** The relative luminance of WCAG 2.2. */
  function luminance(colour: number[]): number {
    const [red = 0, green = 0, blue = 0] = colour.map((part) =>
      part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4,
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
  }

  function contrast(element: Element): number {
    const { back, opacity, ink } = lookOf(element)
    if (!back) return 21
    const colour = parts(ink)
    const front = over([...colour.slice(0, 3), (colour[3] ?? 1) * opacity], back)
    const [dim = 0, bright = 0] = [luminance(front), luminance(back)].sort((one, other) => one - other)
    return (bright + 0.05) / (dim + 0.05)
  }

  /** Whether something on the way cuts a text off; what can be scrolled to is not cut. */
  function cutter(text: DOMRect, element: Element): Element | undefined {
    for (let at: Element | null = element; at; at = at.parentElement) {
      const { shutsX, shutsY, scrolls, isFixed, box } = lookOf(at)
      if (shutsX && (text.right > box().right + 1.5 || text.left < box().left - 1.5)) return at
      if (shutsY && (text.bottom > box().bottom + 4 || text.top < box().top - 4)) return at
      if (scrolls || isFixed) return undefined
    }
    return undefined
  }

  const plain = (text: string | null | undefined) => (text ?? '').replace(/[\s,，;；]+/g, ' ').trim()

  /** Whether a text that ends in dots is told to the pointer, all of it, whatever stands between its parts. */
  function toldWhole(text: string, element: Element, by: Element): boolean {
    const dots = [element, by].some((one) => lookOf(one).hasDots)
    return dots && plain(element.closest('[title]')?.getAttribute('title')).includes(plain(text))
  }

  /** Whether a field shows less than the whole of what it says while it is empty. */
  function isShort(field: HTMLInputElement): boolean {
    const style = getComputedStyle(field)
    const ink = document.createElement('canvas').getContext('2d')
    if (!ink || field.value !== '' || field.title === field.placeholder) return false
    ink.font = style.font
    const room = field.clientWidth - Number.parseFloat(style.paddingLeft) - Number.parseFloat(style.paddingRight)
    return field.checkVisibility() && ink.measureText(field.placeholder).width > room + 1
  }

  const found: Measured = { wide: [], cut: [], pale: [] }
  const opened = document.querySelectorAll('.ant-drawer-body, .ant-modal-body')
  for (const box of [document.documentElement, document.querySelector('.shell-main'), ...opened]) {
    if (box && box.scrollWidth > box.clientWidth + 1)
      found.wide.push(`${name(box)}: ${box.scrollWidth} > ${box.clientWidth}`)
  }
  for (const scroller of document.querySelectorAll('.sky-table-scroll')) {
    if (!scroller.checkVisibility() || scroller.scrollWidth <= scroller.clientWidth + 1) continue
    found.wide.push(
      `table ${scroller.parentElement?.getAttribute('aria-label')}: ${scroller.scrollWidth} > ${scroller.clientWidth}`,
    )
  }

  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  const range = document.createRange()
  while (walker.nextNode()) {
    const node = walker.currentNode
    const element = node.parentElement
    const text = node.textContent?.trim()
    if (!text || !element || /^(SCRIPT|STYLE|OPTION|TEXTAREA|TITLE)$/.test(element.tagName)) continue
    if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue
    range.selectNodeContents(node)
    const rect = range.getBoundingClientRect()
    // Words for readers only are one pixel large, and what is scrolled away is looked at by nobody.
    const words = element.closest('.sky-reader-only, .visually-hidden, .skip-link')
    if (words || rect.width === 0 || element.clientWidth === 1 || rect.top > innerHeight || rect.bottom < 0) continue
    const told = `${name(element)}: ${text.slice(0, 60)}`
    const by = cutter(rect, element)
    // A box of one pixel is the usual way to speak to readers alone.
    if (by && by.getBoundingClientRect().width <= 2) continue
    if (by && !toldWhole(text, element, by)) found.cut.push(told)
    // What cannot be used may be pale (WCAG 1.4.3), and rows fade while newer ones are on their way.
    if (element.closest('[disabled], [aria-disabled=true], [class*="-disabled"], [data-busy] tbody')) continue
    const ratio = contrast(element)
    if (ratio < 4.5) found.pale.push(`${ratio.toFixed(2)} ${told}`)
  }
  for (const field of document.querySelectorAll<HTMLInputElement>('input[placeholder]')) {
    if (isShort(field)) found.cut.push(`${name(field)}: ${field.placeholder}`)
  }
  return { wide: [...new Set(found.wide)], cut: [...new Set(found.cut)], pale: [...new Set(found.pale)] }
}
