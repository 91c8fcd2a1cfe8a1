const cells = await btcp.dom.querySelectorAll('#prices td');
return { cells: cells.map((cell) => cell.text), login: await btcp.dom.exists('#login') };
