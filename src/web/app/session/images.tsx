// Images of the transcript, from our own server only. One that is broken, or that stands elsewhere, is named instead.
import { useState } from 'react';
import { formatBytes } from '../../../base/human.ts';
import type { ImageRef } from '../../../export/page/view.ts';
import { useSource } from './page-context.ts';
import { Words } from './text.tsx';

export function Images({ images }: { readonly images: readonly ImageRef[] }) {
  if (images.length === 0) return null;
  return (
    <div className="images">
      {images.map((image, i) => (
        <Picture key={image.at === null ? `broken ${i}` : `${image.at.record}${image.at.pointer}`} image={image} />
      ))}
    </div>
  );
}

export function Picture({ image }: { readonly image: ImageRef }) {
  const source = useSource();
  const [isBroken, setBroken] = useState(false);
  const size = image.width === null ? '' : `${image.width} × ${image.height}, `;
  const facts = `${size}${formatBytes(image.sizeBytes)}`;
  if (image.at === null || isBroken) {
    return (
      <p className="placeholder">
        {image.url === null ? `Image that cannot be shown (${facts})` : 'Image elsewhere, not loaded: '}
        {image.url === null ? null : <Words text={image.url} />}
      </p>
    );
  }
  const address = source.imageUrl(image.at);
  const picture = (
    <img
      src={address}
      alt={`From the transcript, ${facts}`}
      loading="lazy"
      width={image.width ?? undefined}
      height={image.height ?? undefined}
      onError={() => setBroken(true)}
    />
  );
  // No browser opens a page at the address of inlined data.
  if (source.exported !== null) return <span className="picture">{picture}</span>;
  return (
    <a className="picture" href={address} target="_blank" rel="noopener noreferrer">
      {picture}
    </a>
  );
}
