package io.weir.providers.rule;

/**
 * One of our API keys at a provider. The secret itself is not here.
 *
 * @param name its name in metrics and answers
 * @param header the header that carries it
 * @param prefix the text before the secret, such as {@code Bearer} and a space
 * @param variable the environment variable of the node that contains the secret
 */
public record KeySlot(String name, String header, String prefix, String variable) {}
