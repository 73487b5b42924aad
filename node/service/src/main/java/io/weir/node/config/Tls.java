package io.weir.node.config;

import java.nio.file.Path;
import java.util.Optional;

/**
 * The TLS of the port for callers.
 *
 * @param certificate the certificate and those that it follows from, PEM
 * @param key its private key, PKCS#8 in PEM
 * @param clientCa the authorities whose certificates callers may show, PEM; empty if callers are not asked for one
 */
public record Tls(Path certificate, Path key, Optional<Path> clientCa) {}
