/** Models and tasks in the address: by name, or by number where two names look alike. */

import type { PageData } from "./data"

export class Names {
  private readonly models: Map<string, number>
  private readonly tasks: Map<string, number>

  constructor(private readonly data: PageData) {
    this.models = positions(data.models)
    this.tasks = positions(data.tasks.map((task) => task.name))
  }

  modelKey(position: number): string {
    return key(this.data.models[position]!, position, this.models)
  }

  taskKey(position: number): string {
    return key(this.data.tasks[position]!.name, position, this.tasks)
  }

  /** Position of the model that a key names; null where there is none. */
  model(word: string | undefined): number | null {
    return find(word, this.models, this.data.models.length)
  }

  task(word: string | undefined): number | null {
    return find(word, this.tasks, this.data.tasks.length)
  }
}

function positions(names: readonly string[]): Map<string, number> {
  const first = new Map<string, number>()
  names.forEach((name, i) => first.has(name) || first.set(name, i))
  return first
}

function key(name: string, position: number, known: Map<string, number>): string {
  return known.get(name) === position && !name.startsWith("~") ? name : `~${position}`
}

function find(word: string | undefined, known: Map<string, number>, count: number): number | null {
  if (word === undefined) return null
  const number = /^~(\d+)$/.exec(word)
  if (number) return Number(number[1]) < count ? Number(number[1]) : null
  return known.get(word) ?? null
}
