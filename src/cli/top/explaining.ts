// Explains the chosen row: what is known about it, and for a delivery what explain_delivery says.

import { explainDelivery } from '../../db/explain.ts';
import type { Queryable } from '../../db/pool.ts';
import { OutriderError } from '../../errors.ts';
import { deliveryBehind, factsAbout, type Paragraph, reasonsInWords } from './panels.ts';
import type { About } from './sections.ts';
import type { View } from './view.ts';

export async function explained(
  client: Queryable,
  about: About,
  { activity: { workspace_id: workspaceId, now } }: View,
): Promise<readonly Paragraph[]> {
  const facts = factsAbout(about, now);
  const deliveryId = deliveryBehind(about);
  if (deliveryId === undefined) return facts;
  try {
    const reasons = await explainDelivery(client, { workspaceId, deliveryId });
    return [
      ...facts,
      { text: '' },
      ...reasonsInWords(reasons, now),
      { text: '' },
      more(deliveryId),
    ];
  } catch (error) {
    // The delivery was deleted meanwhile, or the database is away: the rest of the view says so, too.
    if (!(error instanceof OutriderError)) throw error;
    return [...facts, { text: error.message, colour: 'red' }];
  }
}

function more(deliveryId: string): Paragraph {
  return { text: `Its timeline: outrider deliveries show ${deliveryId}`, colour: 'gray' };
}
