// SPDX-License-Identifier: Apache-2.0
// Copyright the footfall authors
//
// Everything ends up in one HTML file, which opens from a disk without a server.

import {defineConfig} from 'vite';

/** Puts scripts and styles where they are asked for; no text of a script may look like its end. */
function oneFile() {
    return {
        name: 'one-file',
        enforce: 'post',
        generateBundle(_, bundle) {
            const page = bundle['index.html'];
            for (const [name, part] of Object.entries(bundle)) {
                const at = name.replaceAll('.', '\\.');
                if (part.type === 'chunk') {
                    const code = part.code.replaceAll('</script', '<\\/script');
                    page.source = page.source.replace(new RegExp(`<script[^>]*src="[^"]*${at}"[^>]*></script>`), '');
                    // behind the document that it reads
                    page.source = page.source.replace('</body>', () => `<script type="module">${code}</script>\n</body>`);
                    delete bundle[name];
                } else if (name.endsWith('.css')) {
                    page.source = page.source.replace(new RegExp(`<link[^>]*href="[^"]*${at}"[^>]*>`),
                        () => `<style>${part.source}</style>`);
                    delete bundle[name];
                }
            }
        },
    };
}

export default defineConfig({
    base: './',
    plugins: [oneFile()],
    build: {
        target: 'es2022',
        modulePreload: false,
        assetsInlineLimit: 1e6,
        chunkSizeWarningLimit: 2000,
        reportCompressedSize: false,
    },
});
